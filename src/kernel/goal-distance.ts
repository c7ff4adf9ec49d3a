import type { Goal } from '../model/goal.ts';
import type { Plan, PlanStep } from '../model/plan.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { PlanIndex } from './plan-index.ts';

/** What a plan is measured by: what the goal asks for, what is known and done already, and which tools there are. */
export interface Measured {
  readonly goal: Pick<Goal, 'statement' | 'acceptance_criteria'>;
  /** Types of evidence that the run has. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** What the run has behind it. A plan goes on from there, and need not say it again to be as near to the goal. */
  readonly done: readonly PlanStep[];
  readonly toolOf: (name: string) => ToolSpec | undefined;
}

/** Shares of what a plan is measured by where the goal says which evidence shows that it is met. */
const BY_EVIDENCE = 0.7;
const BY_WORDS = 0.3;

/**
 * How far a plan is from the goal, 0 to 1: which share of the evidence that the goal asks for it would leave open, which
 * share of its steps leads to none of it, and how little the words of the two have in common. A measure for comparing the
 * plans of one run with each other; by itself it says nothing.
 */
export function goalDistance(measured: Measured, plan: Plan, index: PlanIndex): number {
  const words = wordDistance(wordsOfGoal(measured), wordsOfPlan(measured, plan));
  const wanted = measured.goal.acceptance_criteria.flatMap(({ rank, evidence }) =>
    rank === 'primary' && evidence !== undefined ? [evidence] : [],
  );
  if (wanted.length === 0) return rounded(words);
  return rounded(BY_EVIDENCE * evidenceDistance(measured, plan, index, new Set(wanted)) + BY_WORDS * words);
}

function evidenceDistance(
  { evidence, done, toolOf }: Measured,
  { steps }: Plan,
  index: PlanIndex,
  wanted: ReadonlySet<string>,
): number {
  const covered = new Set([...wanted].filter((type) => Object.hasOwn(evidence, type)));
  const serving = new Set<number>();
  const lead = (place: number): void => {
    if (serving.has(place)) return;
    serving.add(place);
    for (const before of index.dependencies[place] ?? []) lead(before);
  };
  for (const [place, { tool }] of steps.entries()) {
    const brought = toolOf(tool)?.produces.filter((type) => wanted.has(type)) ?? [];
    for (const type of brought) covered.add(type);
    if (brought.length > 0) lead(place);
  }
  const working = steps.flatMap(({ tool }, place) => (toolOf(tool)?.speaks === undefined ? [place] : []));
  const idle = working.filter((place) => !serving.has(place)).length;
  const open = 1 - covered.size / wanted.size;
  return (open + (working.length === 0 ? 0 : idle / (done.length + working.length))) / 2;
}

const wordsOfGoal = ({ goal }: Measured): ReadonlySet<string> =>
  wordsIn([goal.statement, ...goal.acceptance_criteria.map(({ statement }) => statement)]);

const wordsOfPlan = ({ done, toolOf }: Measured, { steps }: Plan): ReadonlySet<string> =>
  wordsIn([...done, ...steps].flatMap((step) => [...saidOf(step), step.tool, toolOf(step.tool)?.description ?? '']));

const saidOf = ({ task_objective = '', expected_output = '', success_criteria = '' }: PlanStep): readonly string[] => [
  task_objective,
  expected_output,
  success_criteria,
];

/** Short words are in every sentence. */
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
