import type { StandardGraphName } from './graph/standard-graphs.ts';

/** A rung of the least-autonomy ladder. */
export interface Tier {
  readonly rank: number;
  readonly name: string;
  /** Who decides what happens next. */
  readonly control_plane: string;
  readonly path_style: string;
  readonly cost_class: string;
  readonly failure_surface: string;
  readonly example_use: string;
  /** The shipped graphs that serve this rung, the usual one first. */
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

/** What tasks ask for, each at the lowest rung that can give it. */
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
