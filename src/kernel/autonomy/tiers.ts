import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import type { Environment } from '../../model/run/manifest.ts';
import type { StandardGraphName } from '../graph/standard-graphs.ts';

/** A need of a task, and the lowest rank that meets it. Every higher rank meets it too. */
export interface RankedNeed {
  readonly rank: number;
  readonly meaning: string;
}
export type NeedTable = Readonly<Record<string, RankedNeed>>;

/** The reason why a rank is insufficient. */
export interface TierShortfall {
  readonly rank: number;
  readonly why: string;
}

/** The lowest rank that meets every need. Throws on an unknown need, because a guess could be too low or too high. */
export function leastRank(table: NeedTable, needs: readonly string[]): number {
  return needs.reduce((rank, need) => Math.max(rank, lookUpNeed(table, need).rank), 1);
}

/** The unmet needs of every insufficient rank below `rank`, lowest first. */
export function shortfalls(table: NeedTable, needs: readonly string[], rank: number): readonly TierShortfall[] {
  const found: TierShortfall[] = [];
  for (let lower = 1; lower < rank; lower += 1) {
    const unmet = needs.filter((need) => lookUpNeed(table, need).rank > lower);
    if (unmet.length === 0) continue;
    const why = unmet.map((need) => `it cannot offer ${need} (${lookUpNeed(table, need).meaning})`).join('; ');
    found.push({ rank: lower, why });
  }
  return found;
}

function lookUpNeed(table: NeedTable, need: string): RankedNeed {
  const known = Object.hasOwn(table, need) ? table[need] : undefined;
  if (known !== undefined) return known;
  throw new Fault('input_invalid', `"${need}" is not a known need; known are ${Object.keys(table).join(', ')}`, {
    path: '/needs',
  });
}

/** A tier of the least-autonomy ladder. */
interface Tier {
  readonly rank: number;
  readonly name: string;
  /** The part that decides the next step. */
  readonly control_plane: string;
  readonly path_style: string;
  readonly cost_class: string;
  readonly failure_surface: string;
  readonly example_use: string;
  /** The standard graphs of this tier, default first. */
  readonly graphs: readonly [StandardGraphName, ...StandardGraphName[]];
}

export const TIERS: readonly Tier[] = [
  {
    rank: 1,
    name: 'direct_response',
    control_plane: 'the host application',
    path_style: 'one call, always the same path',
    cost_class: 'low: the tokens of one call',
    failure_surface: 'invented content, output that does not fit its schema',
    example_use: 'summarise a text, put it into one of a few classes',
    graphs: ['direct_response'],
  },
  {
    rank: 2,
    name: 'prompt_chain',
    control_plane: 'the host application',
    path_style: 'fixed steps in a fixed order',
    cost_class: 'low to moderate: grows with the number of steps',
    failure_surface: 'context that drifts from step to step, a step that fails those after it',
    example_use: 'extract fields from a document in several passes and format them',
    graphs: ['prompt_chain'],
  },
  {
    rank: 3,
    name: 'deterministic_workflow',
    control_plane: 'the workflow engine',
    path_style: 'branches that code decides',
    cost_class: 'moderate: depends on the branch taken',
    failure_surface: 'inputs nobody foresaw, gaps between the branches',
    example_use: 'enter a transaction, route a request by fixed rules',
    graphs: ['deterministic_workflow'],
  },
  {
    rank: 4,
    name: 'conditional_graph',
    control_plane: 'the compiled graph',
    path_style: 'edges opened by structured output, in bounded cycles',
    cost_class: 'moderate: the loops have limits',
    failure_surface: 'output that does not validate, transitions that go round in a circle',
    example_use: 'search precedents and verify documents against them',
    graphs: ['conditional_graph'],
  },
  {
    rank: 5,
    name: 'supervised_loop',
    control_plane: 'an orchestrator with a person in the loop',
    path_style: 'plans made at run time, each approved by a person before it runs',
    cost_class: 'high: includes the time of the person',
    failure_surface: 'tired approvers, plans left half done',
    example_use: 'write code while a person approves the plan and the tests',
    graphs: ['supervised'],
  },
  {
    rank: 6,
    name: 'bounded_loop',
    control_plane: 'the budget controller of the runtime',
    path_style: 'tools chosen at run time inside a complete budget',
    cost_class: 'high: held by stopping early',
    failure_surface: 'loops, needless calls, overspending',
    example_use: 'diagnose a production incident from local logs',
    graphs: ['plan_first', 'reactive'],
  },
  {
    rank: 7,
    name: 'open_ended_loop',
    control_plane: "the model's own deliberation, under hard caps",
    path_style: 'free exploration inside a sandbox',
    cost_class: 'extreme: everything that the caps allow may be spent',
    failure_surface: 'every resource used up, data corrupted',
    example_use: 'research without a known path, in a sandbox',
    graphs: ['reactive'],
  },
];

/** Needs of tasks, each with the lowest tier that meets it. */
export const TASK_NEEDS = {
  single_answer: { rank: 1, meaning: 'one answer from one call' },
  fixed_sequence: { rank: 2, meaning: 'several steps in an order known beforehand' },
  static_branching: { rank: 3, meaning: 'branches that code can decide' },
  gated_actions: { rank: 3, meaning: 'actions that wait for a person to approve them' },
  structured_branching: { rank: 4, meaning: "branches that depend on a model's structured output" },
  bounded_repair: { rank: 4, meaning: 'another attempt after an output that failed verification' },
  dynamic_plan: { rank: 5, meaning: 'a plan that can only be made at run time' },
  unattended_plan: { rank: 6, meaning: 'plans made at run time that no person approves one by one' },
  dynamic_tool_choice: { rank: 6, meaning: 'tools chosen from what the last observation showed' },
  open_ended_exploration: { rank: 7, meaning: 'a path and an end that nobody can state beforehand' },
} as const;

export type TaskNeed = keyof typeof TASK_NEEDS;

export interface TaskProfile {
  readonly needs: readonly TaskNeed[];
  readonly environment: Environment;
  /** A requested tier, with a reason against each lower tier that would suffice. */
  readonly requested?: { readonly rank: number; readonly reasons: readonly TierShortfall[] };
}

interface TierChoice {
  readonly tier: Tier;
  /** Why each lower tier is insufficient, lowest first. */
  readonly insufficient: readonly TierShortfall[];
}

const OPEN_ENDED_RANK = 7;

export const tierOf: (rank: number) => Tier = guardInput('tierOf', (rank: number): Tier => {
  const tier = TIERS.find((candidate) => candidate.rank === rank);
  if (tier === undefined)
    throw new Fault('tier_unknown', `there is no tier ${rank}; tiers go from 1 to ${TIERS.length}`);
  return tier;
});

/** Chooses the lowest tier that suffices, or the requested one if it has a reason against every lower one. */
export const chooseTier: (task: TaskProfile) => TierChoice = guardInput(
  'chooseTier',
  (task: TaskProfile): TierChoice => {
    const least = leastRank(TASK_NEEDS, task.needs);
    const lacking = shortfalls(TASK_NEEDS, task.needs, least);
    const { rank, reasons } = task.requested ?? { rank: least, reasons: [] };
    const tier = tierOf(rank);
    if (rank < least) {
      const why = lacking.find((shortfall) => shortfall.rank === rank)?.why ?? '';
      throw new Fault(
        'tier_not_allowed',
        `tier ${rank} (${tier.name}) is not enough for this task: ${why}; take tier ${least}, or leave out of needs what it can do without`,
      );
    }
    const insufficient = [...lacking, ...requireReasons(least, rank, reasons)];
    if (rank === OPEN_ENDED_RANK && task.environment !== 'sandbox') {
      throw new Fault(
        'tier_not_allowed',
        `tier ${rank} (${tier.name}) runs only in a sandbox, not in ${task.environment}`,
      );
    }
    return { tier, insufficient };
  },
);

/** The reasons against tiers from `least` up to the requested one. Throws if one is missing. */
function requireReasons(least: number, rank: number, reasons: readonly TierShortfall[]): readonly TierShortfall[] {
  const found: TierShortfall[] = [];
  const unexplained: number[] = [];
  for (let lower = least; lower < rank; lower += 1) {
    const reason = reasons.find((candidate) => candidate.rank === lower && candidate.why.trim() !== '');
    if (reason === undefined) unexplained.push(lower);
    else found.push({ rank: lower, why: reason.why });
  }
  if (unexplained.length === 0) return found;
  throw new Fault(
    'tier_unjustified',
    `tier ${rank} needs a reason why tier ${unexplained.join(', ')} would not do; tier ${least} can do the task`,
  );
}
