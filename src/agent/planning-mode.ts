import type { StandardGraphName } from '../kernel/index.ts';
import type { KernelLimits } from '../model/budget/kernel-limits.ts';
import type { CompiledContext } from '../model/evidence/context.ts';
import type { ContextSources } from '../model/evidence/context-pack.ts';
import { Fault } from '../model/fault/fault.ts';
import { addressOfText, type Hash } from '../model/json/hash.ts';
import { printable } from '../model/json/printable.ts';
import type { GraphSpec } from '../model/plan/graph.ts';
import { type AgentSpec, INSTRUCTIONS_PIN } from '../model/run/agent.ts';
import { higherCost, type ToolCost } from '../model/tool/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Planner } from '../ports/model/planner.ts';
import { longestPlannerTimeout, type PlannerTimeouts } from '../session/perform/ask-planner.ts';
import { contextOf, type PinnedContext } from './context.ts';
import { type MemoryOptions, memoryFor } from './memory.ts';

interface Planned {
  readonly planner: Planner;
  readonly graph?: StandardGraphName | GraphSpec;
  readonly limits?: Partial<KernelLimits>;
}

/**
 * Sets the planning mode and the graph that the planner requires. Options that contradict the planner are rejected
 * before anything runs. A planner that supports both modes follows the graph.
 */
export function withPlanning<O extends Planned>(options: O): O {
  const { graph, limits = {} } = options;
  const { stepsMax, planning = planningOn(graph, limits) } = options.planner;
  if (planning === undefined) return options;
  if (limits.planning !== undefined && limits.planning !== planning) {
    throw contradiction('/limits/planning', `limits.planning is '${limits.planning}'`, planning);
  }
  const isOther = planning === 'stepwise' ? graph !== 'reactive' : graph === 'reactive';
  if (typeof graph === 'string' && isOther) throw contradiction('/graph', `graph is '${graph}'`, planning);
  const steps = stepsMax === undefined ? {} : { reactStepsMax: stepsMax };
  const graphOption = planning === 'stepwise' && graph === undefined ? { graph: 'reactive' as const } : {};
  return { ...options, ...graphOption, limits: { ...steps, ...limits, planning } };
}

/** The reactive graph plans one step at a time unless the limits set another mode. */
const planningOn = (graph: Planned['graph'], limits: Partial<KernelLimits>): 'stepwise' | undefined =>
  graph === 'reactive' && (limits.planning ?? 'stepwise') === 'stepwise' ? 'stepwise' : undefined;

function contradiction(path: string, option: string, planning: 'whole' | 'stepwise'): Fault {
  const does = planning === 'stepwise' ? 'plans one step at a time' : 'plans all steps at once';
  const message = `${option}, but the planner ${does}: remove the option, or use another planner`;
  return new Fault('input_invalid', message, { path });
}

interface Parts {
  readonly agent: AgentSpec;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
}

/**
 * Adds the planner's own tools to the registry and to the boundary; they only produce text. A host tool with the same
 * name takes precedence and must be allowed like any other tool.
 */
export function withPlannersTools<P extends Parts>(parts: P): P {
  const own = new Set(parts.tools.map(({ spec }) => spec.name));
  const added = (parts.planner.tools ?? []).filter(({ spec }) => !own.has(spec.name));
  if (added.length === 0) return parts;
  const names = added.map(({ spec }) => spec.name);
  return { ...parts, tools: [...parts.tools, ...added], agent: allowTools(parts.agent, names) };
}

/**
 * Adds tools to the boundary. An invalid agent is returned unchanged; a later check reports it with all other problems.
 */
function allowTools(agent: AgentSpec, names: readonly string[]): AgentSpec {
  const allowed: unknown = agent?.boundary?.tools?.allowed;
  if (!Array.isArray(allowed)) return agent;
  const { boundary } = agent;
  const tools = { ...boundary.tools, allowed: [...new Set([...boundary.tools.allowed, ...names])] };
  return { ...agent, boundary: { ...boundary, tools } };
}

interface ContextOptions {
  readonly context: CompiledContext | ContextSources;
  readonly memory?: MemoryOptions;
  readonly clock: Clock;
}

/** The context and the memory terms that runs of this agent pin. */
export function contextPins(
  agent: AgentSpec,
  { context, memory, clock }: ContextOptions,
  hash: Hash,
): PinnedContext & ReturnType<typeof memoryFor> {
  return { ...contextOf(context, agent, clock.nowMs(), hash), ...memoryFor(memory) };
}

/** A planner, followed by its `safer` planner if it has one. */
export const plannersOf = (planner: Planner): readonly Planner[] =>
  planner.safer === undefined ? [planner] : [planner, planner.safer];

/** The highest cost of a plan by any of the planners. */
export function plannerCost(planner: Planner): ToolCost | undefined {
  const costs = plannersOf(planner).flatMap(({ cost }) => cost ?? []);
  const [first, ...others] = costs;
  return first === undefined ? undefined : others.reduce(higherCost, first);
}

/** Rejects a request time limit above every planning time limit: it could never apply. */
export function requestTimeFaults(planner: Planner, timeouts: PlannerTimeouts): readonly Fault[] {
  const longestMs = longestPlannerTimeout(timeouts);
  const profiles = new Set(plannersOf(planner).flatMap(({ uses = [] }) => uses.map(({ profile }) => profile)));
  return [...profiles].flatMap(({ name, requestTimeoutMs = 0 }) => {
    if (requestTimeoutMs <= longestMs) return [];
    const message = `the planner's model profile ${printable(name)} gives one request ${requestTimeoutMs} ms, but the planning with all its requests ends after ${longestMs} ms: lower requestTimeoutMs, or raise world.plannerTimeouts`;
    return [new Fault('input_invalid', message, { path: '/world/plannerTimeouts' })];
  });
}

/** Rejects a safer planner that the boundary would never use. */
export function saferFaults({ boundary }: AgentSpec, { safer }: Planner): readonly Fault[] {
  if (safer === undefined || boundary.escalation_paths.includes('specialist_model')) return [];
  const path = '/agent/boundary/escalation_paths';
  const message = `${path}: planner.safer is used only if the boundary lists specialist_model: add it, or remove safer`;
  return [new Fault('input_invalid', message, { path })];
}

/** Pins the agent's instructions, so that a run continues only with the instructions that it began with. */
export function withInstructionsPin(agent: AgentSpec, hash: Hash): AgentSpec {
  const { instructions, pins } = agent;
  if (instructions === undefined) return agent;
  const version = addressOfText(hash, instructions);
  const prompt_template_versions = { ...pins.prompt_template_versions, [INSTRUCTIONS_PIN]: version };
  return { ...agent, pins: { ...pins, prompt_template_versions } };
}
