import { withCompanions } from '../gateway/tool/bound-tools.ts';
import { isStandardSchema, type Received, type ToolSchema } from '../gateway/tool/standard-schema.ts';
import { tool } from '../gateway/tool/tool.ts';
import type { BudgetCaps } from '../model/budget/budget.ts';
import { resolveCaps } from '../model/budget/budget-profile.ts';
import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import type { ApprovalMode } from '../model/gate/approval-mode.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import type { JsonObject } from '../model/json/json.ts';
import { optionPaths } from '../model/json/option-paths.ts';
import { parseNamed } from '../model/json/parse.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import { unknownNames } from '../model/text/nearest.ts';
import { ToolSpec } from '../model/tool/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { LaneTask } from '../session/lanes/lane-tasks.ts';
import type { Agent } from './agent.ts';
import { type BudgetOptions, budgetOf } from './budget-options.ts';

/** The task of the agent in a lane. */
export interface LaneTaskOptions<In extends ToolSchema> {
  readonly inputSchema: In;
  /** The schema of the lane's result: one property for each evidence type in `returns`. */
  readonly outputSchema: ToolSchema;
  /** Builds the goal of the lane from its input. */
  readonly goal: (input: Received<In>) => string;
  /** The evidence types that the lane returns. */
  readonly returns: readonly string[];
  /** The worker's intent. It may be omitted if the worker has only one. */
  readonly intent?: string;
}

export interface LaneOptions<In extends ToolSchema> {
  readonly name: string;
  readonly description: string;
  /** The agent that works in the lane. A string names a peer of the same runtime, which only a swarm may use. */
  readonly agent: Agent | string;
  readonly task: LaneTaskOptions<In>;
  /**
   * The only tools of the lane; by default all of the worker's. The agent that opens the lane must be allowed them too.
   */
  readonly tools?: readonly string[];
  /** The caps of the lane within its parent's remaining budget; by default the worker's own budget. */
  readonly budget?: BudgetOptions;
  /** `delegated` by default: a person sees the task before the lane opens. Calls inside have their own gates. */
  readonly approvalMode?: ApprovalMode;
  readonly gates?: readonly string[];
}

/** A tool that runs another agent in a run of its own. */
export interface LaneTool extends BoundTool {
  readonly worker: Agent | string;
  readonly task: (args: JsonObject) => LaneTask;
}

export const isLaneTool = (bound: BoundTool): bound is LaneTool => 'worker' in bound && 'task' in bound;

const OPTIONS: readonly string[] = ['name', 'description', 'agent', 'task', 'tools', 'budget', 'approvalMode', 'gates'];

/** Declares a lane: a tool, to the planner, that runs another agent with fewer permissions than its parent. */
export function lane<In extends ToolSchema>(options: LaneOptions<In>): LaneTool {
  return guardInput('lane', declareLane<In>)(options);
}

function declareLane<In extends ToolSchema>(options: LaneOptions<In>): LaneTool {
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
      // The same call opens the same lane again; calls inside the lane have idempotency keys of their own.
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
  const stated = optionPaths(options);
  return Object.freeze({ ...bound, spec, stated, companions, worker: agent, task: taskOf(options) });
}

function taskOf<In extends ToolSchema>({ name, agent, task }: LaneOptions<In>): LaneTool['task'] {
  const intents = typeof agent === 'string' ? [] : agent.spec.intents.map(({ intent }) => intent);
  const intent = task.intent ?? (intents.length === 1 ? intents[0] : undefined);
  if (intent === undefined)
    throw wrong(name, '/task/intent', 'task.intent is missing: name one of the worker’s intents');
  if (intents.length > 0 && !intents.includes(intent)) {
    throw wrong(name, '/task/intent', `the worker has no intent ${printable(intent)}; it has ${intents.join(', ')}`);
  }
  return (args) => ({ statement: task.goal(args as Received<In>), intent, inputs: args });
}

/** The worker's own budget, lowered to the caps of this lane. */
function capsOf<In extends ToolSchema>({ name, agent, budget = {} }: LaneOptions<In>): BudgetCaps {
  const { profile, overrides } = budgetOf(budget, 'custom', (path, message) => wrong(name, path, message));
  if (typeof agent === 'string') return resolveCaps(profile, overrides).caps;
  if (budget.profile !== undefined)
    throw wrong(name, '/budget/profile', 'the worker already has a budget profile: set only caps that lower it');
  const own = agent.spec.budget;
  return resolveCaps(own.profile, own.overrides, overrides).caps;
}

function toolsOf<In extends ToolSchema>({ name, agent, tools }: LaneOptions<In>): readonly string[] {
  if (typeof agent === 'string') {
    if (tools === undefined)
      throw wrong(name, '/tools', 'tools is missing: list the tools that the peer may use in this lane');
    return tools;
  }
  const { allowed } = agent.spec.boundary.tools;
  const beyond = (tools ?? []).filter((each) => !allowed.includes(each));
  if (beyond.length > 0) throw wrong(name, '/tools', `${agent.spec.name} may not use ${beyond.join(', ')}`);
  return tools ?? allowed;
}

/** Returns whether all usable tools, and so the lane's result, are trusted. A peer that is only named is not. */
function isTrusted<In extends ToolSchema>({ agent }: LaneOptions<In>, usable: readonly string[]): boolean {
  if (typeof agent === 'string') return false;
  return withCompanions(agent.tools).every(({ spec }) => spec.trusted || !usable.includes(spec.name));
}

function assertKnown(options: LaneOptions<ToolSchema>): void {
  if (typeof options !== 'object' || options === null) {
    throw new Fault('input_invalid', 'lane() needs an options object: lane({ name, description, agent, task, … })');
  }
  const unknown = unknownNames(options, OPTIONS);
  if (unknown !== null) throw wrong(options.name, pointerToken(unknown.first), unknown.message);
  const { agent, task } = options;
  const isAgent = typeof agent === 'string' || (typeof agent === 'object' && agent !== null && 'spec' in agent);
  if (!isAgent) throw wrong(options.name, '/agent', 'agent must be an agent made with agent(), or the name of a peer');
  const isTask = typeof task === 'object' && task !== null && typeof task.goal === 'function';
  if (!isTask) throw wrong(options.name, '/task', 'task must be { inputSchema, outputSchema, goal, returns }');
  if (!Array.isArray(task.returns))
    throw wrong(options.name, '/task/returns', 'returns must be a list of evidence types');
  if (!isStandardSchema(task.inputSchema) && typeof task.inputSchema !== 'object') {
    throw wrong(options.name, '/task/inputSchema', 'inputSchema must be a Standard Schema or a JSON Schema');
  }
}

const wrong = (name: unknown, path: string, message: string): Fault =>
  new Fault('input_invalid', `lane ${printable(String(name))}: ${message}`, { path });
