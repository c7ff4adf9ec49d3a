import type { Derived } from '../kernel/derive.ts';
import { doneSteps } from '../kernel/done-steps.ts';
import { directAnswer } from '../kernel/required-reasoning.ts';
import type { RunState } from '../kernel/state.ts';
import { vecGet } from '../kernel/vec.ts';
import type { Blob } from '../model/blob.ts';
import type { EffectOf } from '../model/effect.ts';
import { Fault } from '../model/fault.ts';
import type { Goal } from '../model/goal.ts';
import { type AskedJudge, JUDGE_TEXT_MAX, type JudgeAnswer, type JudgeOutcome, judgeId } from '../model/judge.ts';
import type { ModelCall } from '../model/model-call.ts';
import { reasonOf } from '../model/printable.ts';
import { addCost, NO_COST, type ToolCost } from '../model/tool.ts';
import { answerTime } from '../ports/answer-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Judge, JudgedRun, JudgedStep, JudgeQuestion } from '../ports/judge.ts';
import type { Asked, DeskAccount, OpenDesk } from '../ports/language-model.ts';
import type { Timer } from '../ports/timer.ts';

export interface JudgesCall {
  readonly judges: readonly Judge[];
  readonly openDesk: OpenDesk;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Asks everybody at once. Whoever throws, stalls or declines has an outcome like everybody else. */
export async function askJudges(
  call: JudgesCall,
  state: RunState,
  effect: EffectOf<'ask_judges'>,
  recall: AbortSignal,
): Promise<Derived> {
  const all = await Promise.all(effect.asked.map((asked) => askOne(call, state, effect, asked, recall)));
  const calls = all.flatMap(({ account }) => account.calls);
  const blobs: readonly Blob[] = all.flatMap(({ account }) => account.blobs);
  const spent: ToolCost = all.reduce((sum, { account }) => addCost(sum, account.spent), NO_COST);
  const body = {
    type: 'judges_answered',
    about: effect.about,
    answers: all.map(({ answer }) => answer),
    ...(effect.safer ? { safer: true as const } : {}),
    spent,
  } as const;
  return { event: calls.length === 0 ? body : { ...body, calls }, blobs };
}

interface Heard {
  readonly answer: JudgeAnswer;
  readonly account: DeskAccount;
}

async function askOne(
  call: JudgesCall,
  state: RunState,
  effect: EffectOf<'ask_judges'>,
  asked: AskedJudge,
  recall: AbortSignal,
): Promise<Heard> {
  const judge = call.judges.find(({ spec }) => judgeId(spec) === asked.judge);
  const question = judge === undefined ? null : questionFor(judge, state, effect, asked);
  if (judge === undefined || question === null) {
    return { answer: silent(asked, 'failed'), account: { calls: [], blobs: [], spent: NO_COST } };
  }
  const stop = new AbortController();
  const signal = AbortSignal.any([recall, stop.signal]);
  const { desk, account } = call.openDesk((effect.safer ? judge.spec.safer_cost : null) ?? judge.spec.cost, signal);
  const late = call.timer.until(call.clock.nowMs() + answerTime(judge), signal).then((): Asked => SILENCE);
  try {
    const said = await Promise.race([heard(() => judge.ask(question, signal, desk)), late]);
    return { answer: answerOf(asked, said, account().calls), account: account() };
  } finally {
    stop.abort();
  }
}

const SILENCE: Asked = { ok: false, fault: new Fault('model_timeout', 'the judge did not answer in time') };

/** A judge may be anybody's code, and throw before it has promised anything. */
async function heard(ask: () => Promise<Asked>): Promise<Asked> {
  try {
    return await ask();
  } catch (error) {
    return {
      ok: false,
      fault: Fault.is(error) ? error : new Fault('model_rejected', reasonOf(error), { cause: error }),
    };
  }
}

function answerOf(asked: AskedJudge, said: Asked, calls: readonly ModelCall[]): JudgeAnswer {
  if (typeof said !== 'object' || said === null) return silent(asked, 'failed');
  if (!said.ok) return silent(asked, outcomeOf(said.fault));
  const text = String(said.text).slice(0, JUDGE_TEXT_MAX).toWellFormed();
  return { judge: asked.judge, outcome: 'answered', text, response: calls.at(-1)?.response ?? null };
}

const silent = ({ judge }: AskedJudge, outcome: JudgeOutcome): JudgeAnswer => ({
  judge,
  outcome,
  text: '',
  response: null,
});

function outcomeOf({ code }: Fault): JudgeOutcome {
  if (code === 'model_refused') return 'refused';
  return code === 'model_timeout' ? 'timed_out' : 'failed';
}

function questionFor(
  { spec }: Judge,
  state: RunState,
  { about, safer }: EffectOf<'ask_judges'>,
  { criteria }: AskedJudge,
): JudgeQuestion | null {
  const { goal } = state.intake;
  const work = about === null ? wholeRun(state) : oneStep(state, about);
  if (goal === null || work === null) return null;
  return {
    goal,
    criteria: criteria.map((id) => ({ id, statement: meaningOf(id, spec.criteria, goal, work) })),
    work,
    safer,
  };
}

/** What a criterion means: as the judge declares it, or as the step or the goal puts it. */
function meaningOf(id: string, own: Readonly<Record<string, string>>, goal: Goal, work: JudgeQuestion['work']): string {
  if (Object.hasOwn(own, id)) return own[id] ?? id;
  if (work.kind === 'step') return `The step has come to what it was to come to: ${work.step.success_criteria ?? ''}`;
  return goal.acceptance_criteria.find((_, place) => `goal.${place}` === id)?.statement ?? id;
}

function oneStep({ planning, current, work }: RunState, about: string): JudgedStep | null {
  const step = current === null ? undefined : planning.active?.plan.steps[current.index];
  const fact = current === null ? null : vecGet(work.progress, current.index)?.fact;
  if (current === null || step === undefined || step.id !== about || fact == null) return null;
  return { kind: 'step', step, args: current.args, output: fact.value, trusted: fact.trusted };
}

function wholeRun(state: RunState): JudgedRun {
  return { kind: 'run', done: workDone(state), answer: directAnswer(state) };
}

/** What was committed, in order, for whoever looks at it. */
export const workDone = (state: RunState): JudgedRun['done'] =>
  doneSteps(state).map(({ step: { id, tool }, fact: { value, trusted } }) => ({
    step: id,
    tool,
    output: value,
    trusted,
  }));
