import type { VerdictEnvelope } from '../model/critic/verdict.ts';
import type { EventBody, RunEvent } from '../model/events/event.ts';
import { type ReleasedSentence, sentenceSeparator, shownSentences } from '../model/evidence/answer.ts';
import type { Claim } from '../model/evidence/evidence.ts';
import type { Handoff } from '../model/gate/handoff.ts';
import { type Json, own } from '../model/json/json.ts';
import type { Goal } from '../model/plan/goal.ts';
import type { IntentSpec } from '../model/plan/intent.ts';
import type { PlanReply } from '../model/plan/plan.ts';
import { keepCourtesies, offerOf } from '../model/text/courtesy.ts';
import { type StatedBy, stateFields } from '../model/text/state-value.ts';
import { plansOf, transcriptsOf, unansweredCalls } from './transcripts.ts';

/** A committed value that answers the request, with its observation, its tool and the fields to state. */
interface Shown {
  readonly value: Json;
  readonly observation: string;
  readonly tool: string;
  /** JSON Pointers to texts that outsiders wrote. */
  readonly untrusted: readonly string[];
  /** JSON Pointers with `*` in place of list indexes. */
  readonly fields: readonly string[];
}

/** The parts of a run that its answer is compiled from. */
export interface ResponseCase {
  readonly goal: Goal;
  readonly evidenceByType: Readonly<Record<string, string>>;
  /** Evidence about which sources contradict each other. It supports no claim. */
  readonly disputed: readonly string[];
  /** The words of a model that was permitted to answer without tools; null otherwise. */
  readonly direct: string | null;
  /** The model's reply to a message that asks for no action; null otherwise. */
  readonly reply: PlanReply | null;
  readonly intents: readonly Pick<IntentSpec, 'description'>[];
  readonly shown: readonly Shown[];
  /** The released sentences of a composed answer; null if no composer was asked. */
  readonly sentences: readonly ReleasedSentence[] | null;
  readonly specOf: (tool: string) => StatedBy;
}

/**
 * Compiles the answer from evidence, one claim per statement with its observation. A composed answer consists of its
 * released sentences. Otherwise the answer states the met criteria and the fields that answer the request, without a
 * model. If a model was permitted to answer directly, its words are the text and claim no observation.
 */
export function compileResponse(answer: ResponseCase): EventBody {
  if (answer.reply !== null) return compileReply(answer.reply, answer.intents);
  const composed = shownSentences(answer.sentences ?? []);
  if (composed.length > 0) return compileSentences(composed);
  const { goal, evidenceByType, disputed, direct, shown, specOf } = answer;
  const met = goal.acceptance_criteria.flatMap(({ statement, evidence }): readonly Claim[] => {
    const observation = evidence === undefined ? undefined : own(evidenceByType, evidence);
    return observation === undefined || disputed.includes(observation) ? [] : [{ statement, observation }];
  });
  const values = shown
    .filter(({ observation }) => !disputed.includes(observation))
    .map(
      ({ value, observation, tool, untrusted, fields }): Claim => ({
        statement: toText(stateFields({ ...specOf(tool), quoted: { from: tool, texts: untrusted } }, value, fields)),
        observation,
      }),
    )
    .filter(({ statement }) => statement !== '');
  const text = [met.map(({ statement }) => statement).join(' '), ...values.map(({ statement }) => statement)];
  return { type: 'response_compiled', claims: [...met, ...values], text: direct ?? text.join('\n').trim() };
}

/** Shows the courtesies of a reply. A list of the agent's intents replaces everything else. */
function compileReply({ kind, text }: PlanReply, intents: ResponseCase['intents']): EventBody {
  const courtesies = keepCourtesies(text);
  const isAnswered = kind === 'answer' && courtesies.isAll;
  const offer = isAnswered ? [] : [offerOf(intents)];
  const declined = kind === 'decline' && courtesies.text === '' ? ['I cannot help with that.'] : [courtesies.text];
  return {
    type: 'response_compiled',
    claims: [],
    text: toText([...declined, ...offer].join(' ').trim()),
    reply: isAnswered ? 'answered_directly' : 'declined',
  };
}

/** One claim per released sentence and fact that it rests on. A sentence that states nothing claims nothing. */
function compileSentences(sentences: readonly ReleasedSentence[]): EventBody {
  const claims = sentences.flatMap(({ text, fields }) =>
    [...new Set(fields.map(({ ref }) => ref))].map((observation): Claim => ({ statement: text, observation })),
  );
  const text = sentences.map((sentence, at) => sentenceSeparator(sentences[at - 1], sentence) + sentence.text).join('');
  return { type: 'response_compiled', claims, text: toText(text) };
}

/** Text for people is well formed and has no delete character. */
const toText = (text: string): string => text.toWellFormed().replaceAll('\u007f', '');

/** Everything that the recipient of the last escalation needs; null if the run was never escalated. */
export function handoffOf(runId: string, events: readonly RunEvent[], verdict: VerdictEnvelope | null): Handoff | null {
  const escalated = events.findLast((event) => event.type === 'run_escalated');
  if (escalated === undefined) return null;
  return {
    run_id: runId,
    escalation: escalated.escalation,
    plan: plansOf(events).at(-1) ?? null,
    transcripts: transcriptsOf(runId, events),
    unheard: unansweredCalls(runId, events),
    verdict,
  };
}
