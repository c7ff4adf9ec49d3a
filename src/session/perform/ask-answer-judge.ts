import { answerFacts, type Derived, type KernelEnv, type RunState } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventOf } from '../../model/events/event.ts';
import { type AnswerFact, AnswerVerdict } from '../../model/evidence/answer.ts';
import { Fault } from '../../model/fault/fault.ts';
import { withPlaces } from '../../model/json/sealed.ts';
import { takeJson } from '../../model/json/take-json.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import type { AnswerJudge, AnswerJudgeRequest } from '../../ports/model/model-roles.ts';
import { answerEvent, askRole, type RolePorts, type RoleQuestion, recordedFailure } from './ask-role.ts';

export interface AnswerJudgeCall extends RolePorts {
  readonly answerJudge: AnswerJudge | null;
  readonly env: KernelEnv;
}

type Judged = Pick<EventOf<'sentences_judged'>, 'verdicts' | 'failure'>;

const NO_JUDGE = new Fault('model_misconfigured', 'this process has no judge of answers');
/** Stands for a part that the judge may not see. Null would say that there is no value. */
const WITHHELD = '(withheld)';

const failed = (fault: Fault): Judged => ({ verdicts: [], failure: recordedFailure(fault) });

/** Asks the judge about sentences that are not provable. A failure, a timeout or a malformed answer supports none. */
export async function callAnswerJudge(
  call: AnswerJudgeCall,
  state: RunState,
  { indexes }: EffectOf<'judge_sentences'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { answerJudge, env } = call;
  if (answerJudge === null)
    return { event: { type: 'sentences_judged', ...failed(NO_JUDGE), spent: NO_COST }, blobs: [] };
  const question: RoleQuestion<Judged> = {
    role: answerJudge,
    allowance: answerJudge.cost,
    ask: async (client, signal) => {
      const answer = takeJson(await answerJudge.judge(requestFor(env, state, indexes), signal, client));
      const read = AnswerVerdict.array().length(indexes.length).safeParse(answer);
      if (!read.success) throw new Fault('argument_invalid', 'the judge did not return one verdict for each sentence');
      return { verdicts: indexes.map((index, place) => ({ index, ...(read.data[place] as AnswerVerdict) })) };
    },
    failed,
  };
  const { result, account } = await askRole(call, question, recall);
  return answerEvent({ type: 'sentences_judged', ...result, spent: account.spent }, account);
}

function requestFor(env: KernelEnv, state: RunState, indexes: readonly number[]): AnswerJudgeRequest {
  const all = state.ending.answer?.sentences ?? [];
  const sentences = indexes.flatMap((index) => all[index] ?? []);
  const cited = new Set(sentences.flatMap(({ cites }) => cites.map(({ ref }) => ref)));
  return {
    goal: { statement: state.intake.goal?.statement ?? '' },
    facts: answerFacts(env, state)
      .filter(({ ref }) => cited.has(ref))
      .map(withoutWithheld),
    sentences,
  };
}

/** Removes what the judge may not see: hidden parts, and texts of outsiders, which could instruct it. */
function withoutWithheld({ hidden = [], untrusted = [], ...fact }: AnswerFact): AnswerFact {
  const withheld = new Map([...hidden, ...untrusted].map((place) => [place, WITHHELD]));
  return { ...fact, value: withPlaces(fact.value, withheld) };
}
