import type { Goal } from '../../../model/plan/goal.ts';
import type { Plan, PlanStep } from '../../../model/plan/plan.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { PlanIndex } from '../../state/plan-index.ts';
import { wordDistance, wordsIn } from './word-distance.ts';

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

const rounded = (distance: number): number => Math.round(distance * 1_000) / 1_000;
