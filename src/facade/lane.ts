import { withCompanions } from '../gateway/bound-tools.ts';
import { isStandardSchema, type Received, type ToolSchema } from '../gateway/tool/standard-schema.ts';
import { tool } from '../gateway/tool/tool.ts';
import type { ApprovalMode } from '../model/approval-mode.ts';
import type { BudgetCaps } from '../model/budget.ts';
import { resolveCaps } from '../model/budget-profile.ts';
import { Fault } from '../model/fault.ts';
import { deepFreeze } from '../model/freeze.ts';
import type { JsonObject } from '../model/json.ts';
import { parseNamed } from '../model/parse.ts';
import { printable } from '../model/printable.ts';
import { ToolSpec } from '../model/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Agent } from '../session/declare/agent.ts';
import { type BudgetOptions, budgetOf } from '../session/declare/budget.ts';
import type { LaneTask } from '../session/lanes/lane-desk.ts';

/** What the agent in a lane is asked for. */
export interface LaneTaskOptions<In extends ToolSchema> {
  readonly inputSchema: In;
  /** What whoever opens the lane gets back: one property for each kind of evidence in `returns`. */
  readonly outputSchema: ToolSchema;
  /** The goal of the lane, in the host's words. */
  readonly goal: (input: Received<In>) => string;
  /** The kinds of evidence that it is to bring back. */
  readonly returns: readonly string[];
  /** Which of the worker's intents it is; the only one, where it has one. */
  readonly intent?: string;
}

export interface LaneOptions<In extends ToolSchema> {
  readonly name: string;
  readonly description: string;
  /** Who works in it; by name, a peer of the same runtime, which only a swarm may have. */
  readonly agent: Agent | string;
  readonly task: LaneTaskOptions<In>;
  /** The only tools it may use; all that the worker may, where nothing is said. Whoever opens it must be allowed them. */
  readonly tools?: readonly string[];
  /** What it may spend of what its parent has left; the worker's own budget, where nothing is said. */
  readonly budget?: BudgetOptions;
  /** `delegated` unless it is said: a person sees what is handed over. Whatever the lane does has gates of its own. */
  readonly approvalMode?: ApprovalMode;
  readonly gates?: readonly string[];
}

/** A tool behind which stands an agent, in a run of its own. */
export interface LaneTool extends BoundTool {
  readonly worker: Agent | string;
  readonly task: (args: JsonObject) => LaneTask;
}

export const isLaneTool = (bound: BoundTool): bound is LaneTool => 'worker' in bound && 'task' in bound;

const OPTIONS: readonly string[] = ['name', 'description', 'agent', 'task', 'tools', 'budget', 'approvalMode', 'gates'];

/** Declares a lane: to whoever plans it is a tool, and what stands behind it is another agent with less than they have. */
export function lane<In extends ToolSchema>(options: LaneOptions<In>): LaneTool {
  assertKnown(options);
  const { name, description, agent, task, approvalMode = 'delegated', gates } = options;
  const usable = toolsOf(options);
  const caps = capsOf(options);
  const bound = tool<In, ToolSchema>({
    name,
    description,
    approvalMode,
    inputSchema: task.inputSchema,
    outputSchema: task.outputSchema,
    execute: () => {
      throw new Fault('permission_denied', `${name} is a lane: it is opened, and never called`);
    },
    effects: {
      produces: task.returns,
      sideEffect: caps.side_effects_max > 0,
      // Opened again by the same call it is the same lane; what it does has keys of its own.
      idempotency: 'natural',
    },
    limits: { timeoutMs: Math.max(1, caps.wall_clock_seconds_max) * 1000, retries: 0, external: false },
    risk: { trusted: isTrusted(options, usable), ...(gates === undefined ? {} : { gates }) },
  });
  const worker = typeof agent === 'string' ? agent : agent.spec.name;
  const lane = { agent: worker, tools: usable, caps, returns: task.returns };
  const spec = deepFreeze(parseNamed(`lane ${printable(name)}`, ToolSpec, { ...bound.spec, lane }, 'input_invalid'));
  const known = typeof agent === 'string' ? [] : withCompanions(agent.tools);
  const companions = known.filter((each) => usable.includes(each.spec.name));
  return Object.freeze({ ...bound, spec, companions, worker: agent, task: taskOf(options) });
}

function taskOf<In extends ToolSchema>({ name, agent, task }: LaneOptions<In>): LaneTool['task'] {
  const intents = typeof agent === 'string' ? [] : agent.spec.intents.map(({ intent }) => intent);
  const intent = task.intent ?? (intents.length === 1 ? intents[0] : undefined);
  if (intent === undefined) throw wrong(name, '/task/intent', 'say which intent of the worker it is');
  if (intents.length > 0 && !intents.includes(intent)) {
    throw wrong(name, '/task/intent', `the worker takes ${intents.join(', ')}, and no ${printable(intent)}`);
  }
  return (args) => ({ statement: task.goal(args as Received<In>), intent, inputs: args });
}

/** The worker's own budget, and no more than this lane may have of it. */
function capsOf<In extends ToolSchema>({ name, agent, budget = {} }: LaneOptions<In>): BudgetCaps {
  const { profile, overrides } = budgetOf(budget, 'custom');
  if (typeof agent === 'string') return resolveCaps(profile, overrides).caps;
  if (budget.profile !== undefined) throw wrong(name, '/budget/profile', 'the worker has its own: only lower its caps');
  const own = agent.spec.budget;
  return resolveCaps(own.profile, own.overrides, overrides).caps;
}

function toolsOf<In extends ToolSchema>({ name, agent, tools }: LaneOptions<In>): readonly string[] {
  if (typeof agent === 'string') {
    if (tools === undefined) throw wrong(name, '/tools', 'say which tools a peer may use in this lane');
    return tools;
  }
  const { allowed } = agent.spec.boundary.tools;
  const beyond = (tools ?? []).filter((each) => !allowed.includes(each));
  if (beyond.length > 0) throw wrong(name, '/tools', `${agent.spec.name} may not use ${beyond.join(', ')}`);
  return tools ?? allowed;
}

/** What comes back is as good as the least of what it can be made of; a peer nobody has looked at is not trusted. */
function isTrusted<In extends ToolSchema>({ agent }: LaneOptions<In>, usable: readonly string[]): boolean {
  if (typeof agent === 'string') return false;
  return withCompanions(agent.tools).every(({ spec }) => spec.trusted || !usable.includes(spec.name));
}

function assertKnown(options: LaneOptions<ToolSchema>): void {
  if (typeof options !== 'object' || options === null) {
    throw new Fault('input_invalid', 'a lane is declared as lane({ name, description, agent, task, … })');
  }
  const strange = Object.keys(options).filter((key) => !OPTIONS.includes(key));
  if (strange.length > 0) {
    const message = `there is no option ${printable(strange.join(', '))}; there are ${OPTIONS.join(', ')}`;
    throw wrong(options.name, `/${strange[0]}`, message);
  }
  const { agent, task } = options;
  const isAgent = typeof agent === 'string' || (typeof agent === 'object' && agent !== null && 'spec' in agent);
  if (!isAgent) throw wrong(options.name, '/agent', 'agent is what agent() made, or the name of a peer');
  const isTask = typeof task === 'object' && task !== null && typeof task.goal === 'function';
  if (!isTask) throw wrong(options.name, '/task', 'task is { inputSchema, outputSchema, goal, returns }');
  if (!Array.isArray(task.returns)) throw wrong(options.name, '/task/returns', 'returns lists kinds of evidence');
  if (!isStandardSchema(task.inputSchema) && typeof task.inputSchema !== 'object') {
    throw wrong(options.name, '/task/inputSchema', 'inputSchema is a schema or JSON Schema');
  }
}

const wrong = (name: unknown, path: string, message: string): Fault =>
  new Fault('input_invalid', `lane ${printable(String(name))}: ${message}`, { path });
