import type { VerdictEnvelope } from '../model/critic/verdict.ts';
import type { EventBody, RunEvent } from '../model/events/event.ts';
import type { Claim } from '../model/evidence/evidence.ts';
import type { Handoff } from '../model/gate/handoff.ts';
import { canonicalize } from '../model/json/canonical.ts';
import { type Json, own } from '../model/json/json.ts';
import type { Goal } from '../model/plan/goal.ts';
import { plansOf, transcriptsOf, unansweredCalls } from './transcripts.ts';

/** A committed value that the plan wants shown, and its observation. */
interface Shown {
  readonly key: string;
  readonly value: Json;
  readonly observation: string;
}

/**
 * Compiles the answer from evidence: one claim per met criterion with its observation, none on disputed evidence, then
 * the values that the plan wants shown. A model may rephrase it later but not add to it. If a model was permitted to
 * answer directly, its words are the text and claim no observation.
 */
export function compileResponse(
  goal: Goal,
  evidenceByType: Readonly<Record<string, string>>,
  disputed: readonly string[],
  direct: string | null = null,
  shown: readonly Shown[] = [],
): EventBody {
  const met = goal.acceptance_criteria.flatMap(({ statement, evidence }): readonly Claim[] => {
    const observation = evidence === undefined ? undefined : own(evidenceByType, evidence);
    return observation === undefined || disputed.includes(observation) ? [] : [{ statement, observation }];
  });
  const values = shown
    .filter(({ observation }) => !disputed.includes(observation))
    .map(({ key, value, observation }): Claim => ({ statement: `${key}: ${inWords(value)}`, observation }));
  const text = [met.map(({ statement }) => statement).join(' '), ...values.map(({ statement }) => statement)];
  return { type: 'response_compiled', claims: [...met, ...values], text: direct ?? text.join('\n').trim() };
}

const SHOWN_MAX = 2_000;

/** The observed value as text, cut at `SHOWN_MAX`. */
function inWords(value: Json): string {
  const text = canonicalize(value);
  const cut = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)} …` : text;
  // JSON leaves U+007F unescaped, and text for people must not contain it.
  return cut.toWellFormed().replaceAll('\u007f', '');
}

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
