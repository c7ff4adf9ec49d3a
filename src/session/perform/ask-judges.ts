import { type Derived, directAnswer, doneSteps, type RunState, vecGet } from '../../kernel/index.ts';
import type { ModelCall } from '../../model/budget/model-call.ts';
import {
  type AskedJudge,
  JUDGE_TEXT_MAX,
  type JudgeAnswer,
  type JudgeOutcome,
  judgeId,
} from '../../model/critic/judge.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { Fault } from '../../model/fault/fault.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Goal } from '../../model/plan/goal.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool/tool.ts';
import type { ModelAccount, ModelRequest } from '../../ports/model/language-model.ts';
import type { Judge, JudgedRun, JudgedStep, JudgeQuestion } from '../../ports/model/model-roles.ts';
import { answerEvent, askRole, type RolePorts, type RoleQuestion } from './ask-role.ts';

export interface JudgesCall extends RolePorts {
  readonly judges: readonly Judge[];
}

/** Asks all judges in parallel. An exception, a timeout and a refusal are outcomes like any other. */
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
  return answerEvent(body, { calls, blobs });
}

interface JudgeResult {
  readonly answer: JudgeAnswer;
  readonly account: ModelAccount;
}

async function askOne(
  call: JudgesCall,
  state: RunState,
  effect: EffectOf<'ask_judges'>,
  asked: AskedJudge,
  recall: AbortSignal,
): Promise<JudgeResult> {
  const judge = call.judges.find(({ spec }) => judgeId(spec) === asked.judge);
  const question = judge === undefined ? null : questionFor(judge, state, effect, asked);
  if (judge === undefined || question === null) {
    return { answer: noAnswer(asked, 'failed'), account: { calls: [], blobs: [], spent: NO_COST } };
  }
  const roleQuestion: RoleQuestion<ModelRequest> = {
    role: judge,
    allowance: (effect.safer ? judge.spec.safer_cost : null) ?? judge.spec.cost,
    ask: (client, signal) => judge.ask(question, signal, client),
    failed: (fault) => ({ ok: false, fault }),
  };
  const { result, account } = await askRole(call, roleQuestion, recall);
  return { answer: answerOf(asked, result, account.calls), account };
}

function answerOf(asked: AskedJudge, result: ModelRequest, calls: readonly ModelCall[]): JudgeAnswer {
  if (typeof result !== 'object' || result === null) return noAnswer(asked, 'failed');
  if (!result.ok) return noAnswer(asked, outcomeOf(result.fault));
  const text = String(result.text).slice(0, JUDGE_TEXT_MAX).toWellFormed();
  return { judge: asked.judge, outcome: 'answered', text, response: calls.at(-1)?.response ?? null };
}

const noAnswer = ({ judge }: AskedJudge, outcome: JudgeOutcome): JudgeAnswer => ({
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
  const work = about === null ? judgedRun(state) : judgedStep(state, about);
  if (goal === null || work === null) return null;
  return {
    goal,
    criteria: criteria.map((id) => ({ id, statement: meaningOf(id, spec.criteria, goal, work) })),
    work,
    safer,
  };
}

/** The text of a criterion: from the judge, the step or the goal. */
function meaningOf(id: string, own: Readonly<Record<string, string>>, goal: Goal, work: JudgeQuestion['work']): string {
  if (Object.hasOwn(own, id)) return own[id] ?? id;
  if (work.kind === 'step') return `The step has come to what it was to come to: ${work.step.success_criteria ?? ''}`;
  return goal.acceptance_criteria.find((_, place) => `goal.${place}` === id)?.statement ?? id;
}

function judgedStep({ planning, current, work }: RunState, about: string): JudgedStep | null {
  const step = current === null ? undefined : planning.active?.plan.steps[current.index];
  const fact = current === null ? null : vecGet(work.progress, current.index)?.fact;
  if (current === null || step === undefined || step.id !== about || fact == null) return null;
  return { kind: 'step', step, args: current.args, output: fact.value, trusted: fact.trusted };
}

function judgedRun(state: RunState): JudgedRun {
  return { kind: 'run', done: workDone(state), answer: directAnswer(state) };
}

/** The committed steps in order, for judges and reviewers. */
export const workDone = (state: RunState): JudgedRun['done'] =>
  doneSteps(state).map(({ step: { id, tool }, fact: { value, trusted } }) => ({
    step: id,
    tool,
    output: value,
    trusted,
  }));
