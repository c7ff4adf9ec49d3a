import type { Goal } from '../../../model/plan/goal.ts';
import type { Plan, PlanStep } from '../../../model/plan/plan.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { isReactive } from '../../query/plan/reactive-route.ts';
import { doneSteps } from '../../query/plan/steps.ts';
import { indexPlan, type PlanIndex } from '../../state/plan-index.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { escalateRun } from '../people/escalate.ts';
import { markUnfit } from './replan.ts';

/** The number of revisions in a row, each further from the goal, that counts as drift. */
const RISING = 3;

/** The minimum increase from first to last. Plans differ by less when a step fails and the rest is replanned. */
const NOTABLE = 0.1;

/** The distances of the last plans from the goal, including this one. Empty for the first plan. */
export function notedDistances(env: KernelEnv, state: RunState, plan: Plan): readonly number[] {
  const { active, distances } = state.planning;
  const { goal } = state.intake;
  if (active === null || goal === null || isReactive(env)) return NONE;
  const inputs = { goal, evidence: state.work.evidenceByType, toolOf: (tool: string) => env.tools.get(tool) };
  const before = distances ?? [goalDistance({ ...inputs, done: [] }, active.plan, active.index)];
  const planned = indexPlan(plan);
  const done = doneSteps(state).flatMap(({ step }) => (planned.indexOf.has(step.id) ? [] : [step]));
  return [...before, goalDistance({ ...inputs, done }, plan, planned)].slice(-RISING);
}

const NONE: readonly number[] = Object.freeze([]);

/** Whether each plan is further away than the one before, by `NOTABLE` in total. */
export function isDrifting(distances: readonly number[]): boolean {
  const [first = 0] = distances;
  const isRising = distances.every((each, at) => at === 0 || each > (distances[at - 1] ?? 0));
  return isRising && distances.length === RISING && (distances.at(-1) ?? 0) - first >= NOTABLE;
}

/**
 * Escalates because the plans drift away from the goal. The last plan does not run; if a person lets the run continue,
 * it is verified again.
 */
export function escalateDrift(env: KernelEnv, state: RunState, plan: Plan, distances: readonly number[]): Reaction {
  const rejected = markUnfit({ ...state, planning: { ...state.planning, distances } });
  const detail = { plan_id: plan.plan_id, goal: state.intake.goal?.statement ?? '', distances };
  return escalateRun(env, rejected, 'plan_divergence', { code: 'REVIEW_REQUIRED', reason: 'goal_drift', detail });
}

/** The inputs of the distance. */
export interface DistanceInputs {
  readonly goal: Pick<Goal, 'statement' | 'acceptance_criteria'>;
  /** Evidence types that the run has. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Completed steps. A new plan continues from them and need not repeat them. */
  readonly done: readonly PlanStep[];
  readonly toolOf: (name: string) => ToolSpec | undefined;
}

/** Weights if the goal names the evidence for its criteria. */
const BY_EVIDENCE = 0.7;
const BY_WORDS = 0.3;

/**
 * The distance of a plan from the goal, from 0 to 1: the share of required evidence it leaves open, the share of its
 * steps that lead to none of it, and the difference in wording. Use it only to compare plans of one run.
 */
export function goalDistance(measured: DistanceInputs, plan: Plan, index: PlanIndex): number {
  const words = wordDistance(wordsOfGoal(measured), wordsOfPlan(measured, plan));
  const wanted = measured.goal.acceptance_criteria.flatMap(({ rank, evidence }) =>
    rank === 'primary' && evidence !== undefined ? [evidence] : [],
  );
  if (wanted.length === 0) return rounded(words);
  return rounded(BY_EVIDENCE * evidenceDistance(measured, plan, index, new Set(wanted)) + BY_WORDS * words);
}

function evidenceDistance(
  { evidence, done, toolOf }: DistanceInputs,
  { steps }: Plan,
  index: PlanIndex,
  wanted: ReadonlySet<string>,
): number {
  const covered = new Set([...wanted].filter((type) => Object.hasOwn(evidence, type)));
  const serving = new Set<number>();
  const markServing = (place: number): void => {
    if (serving.has(place)) return;
    serving.add(place);
    for (const before of index.dependencies[place] ?? []) markServing(before);
  };
  for (const [place, { tool }] of steps.entries()) {
    const produced = toolOf(tool)?.produces.filter((type) => wanted.has(type)) ?? [];
    for (const type of produced) covered.add(type);
    if (produced.length > 0) markServing(place);
  }
  const working = steps.flatMap(({ tool }, place) => (toolOf(tool)?.speaks === undefined ? [place] : []));
  const idle = working.filter((place) => !serving.has(place)).length;
  const open = 1 - covered.size / wanted.size;
  return (open + (working.length === 0 ? 0 : idle / (done.length + working.length))) / 2;
}

const wordsOfGoal = ({ goal }: DistanceInputs): ReadonlySet<string> =>
  wordsIn([goal.statement, ...goal.acceptance_criteria.map(({ statement }) => statement)]);

const wordsOfPlan = ({ done, toolOf }: DistanceInputs, { steps }: Plan): ReadonlySet<string> =>
  wordsIn([...done, ...steps].flatMap((step) => [...textsOf(step), step.tool, toolOf(step.tool)?.description ?? '']));

const textsOf = ({ task_objective = '', expected_output = '', success_criteria = '' }: PlanStep): readonly string[] => [
  task_objective,
  expected_output,
  success_criteria,
];

/** Ignores short words, which occur in every sentence. */
const WORD = /[\p{L}\p{N}]{4,}/gu;

function wordsIn(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) for (const [word] of text.toLowerCase().matchAll(WORD)) words.add(word);
  return words;
}

function wordDistance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  return 1 - (2 * common) / (a.size + b.size);
}

const rounded = (distance: number): number => Math.round(distance * 1_000) / 1_000;
