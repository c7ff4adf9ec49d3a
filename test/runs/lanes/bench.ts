/** A test bench for runs with lanes: a supervisor, workers, and a simulated clock. */
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import { type LaneOptions, type LaneTool, lane } from '../../../src/agent/lane.ts';
import type { World } from '../../../src/agent/world.ts';
import { ambit } from '../../../src/compose.ts';
import type { KernelLimits } from '../../../src/model/budget/kernel-limits.ts';
import type { EventOf, EventType, RunEvent } from '../../../src/model/events/event.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { NO_COST, type ToolCost } from '../../../src/model/tool/tool.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { Ambit } from '../../../src/runtime/ambit.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { type PlannerTurn, scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { type SimulatedClock, simulatedClock } from '../../../src/testing/simulated-clock.ts';
import {
  agentOf,
  CAPS,
  countingIds,
  type Dispatch,
  letTimePass,
  operator,
  REQUEST,
  type RigTool,
  START_MS,
  toolSpec,
} from '../rig.ts';

export interface AgentBench {
  readonly name: string;
  readonly tools: Readonly<Record<string, RigTool>>;
  readonly plans: readonly PlannerTurn[];
  /** The model cost of each plan. */
  readonly spent?: ToolCost;
  readonly caps?: AgentSpec['budget']['overrides'];
  readonly lanes?: readonly LaneTool[];
  readonly change?: (spec: AgentSpec) => AgentSpec;
}

/** Dispatches of every tool on the bench, by any run. */
export const dispatched: Dispatch[] = [];

/** An agent of the bench, which may use its own tools and those of its lanes. */
export function benchAgent(bench: AgentBench): Agent {
  const { name, tools, plans, caps = CAPS, lanes = [], change = (s) => s, spent = NO_COST } = bench;
  const own = Object.entries(tools).map(([tool, { execute, probing, ...changes }]): BoundTool => {
    const spec = toolSpec(tool, changes);
    return {
      ...(probing === undefined ? {} : { probing }),
      spec,
      execute: (args, context) => {
        dispatched.push({ tool, args, key: context.idempotencyKey, at: 0 });
        return execute === undefined ? { ok: true } : execute(args, context);
      },
    };
  });
  const handed = lanes.flatMap(({ spec, companions = [] }) => [spec.name, ...companions.map((each) => each.spec.name)]);
  const produced = Object.fromEntries(lanes.map(({ spec }) => [spec.name, { produces: spec.produces }]));
  const shape = agentOf({ ...produced, ...tools }, caps);
  const allowed = [...new Set([...Object.keys(tools), ...handed])];
  const spec = change({
    ...shape,
    name,
    boundary: { ...shape.boundary, tools: { ...shape.boundary.tools, allowed } },
    access: { ...shape.access, tool_scopes: Object.fromEntries(allowed.map((tool) => [tool, ['all']])) },
  });
  return { spec, tools: [...own, ...lanes], planner: scriptedPlanner(plans, { spent }), decisions: [] };
}

/** The default budget of a lane: enough for a few calls. */
export const LANE_BUDGET: NonNullable<LaneOptions<JsonObject>['budget']> = {
  stepsMax: 5,
  toolCallsMax: 5,
  externalApiCallsMax: 5,
  inputTokensMax: 1_000,
  outputTokensMax: 1_000,
  inferenceCostUsdMax: 1,
  reflectionPassesMax: 0,
  memoryWritesMax: 0,
  sideEffectsMax: 0,
  replanAttemptsMax: 0,
  lanesMax: 0,
};

/** A lane that is read-only by default, so that it opens without a gate. */
export function benchLane(
  name: string,
  worker: Agent | string,
  changes: Partial<Omit<LaneOptions<JsonObject>, 'task'>> & {
    readonly task?: Partial<LaneOptions<JsonObject>['task']>;
  } = {},
): LaneTool {
  const { task, ...rest } = changes;
  return lane<JsonObject>({
    name,
    description: `has ${typeof worker === 'string' ? worker : worker.spec.name} do it`,
    agent: worker,
    approvalMode: 'read_only',
    budget: LANE_BUDGET,
    ...rest,
    task: {
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      goal: () => 'Look it up',
      returns: ['done'],
      ...task,
    },
  });
}

export interface LaneRig {
  readonly runtime: Ambit;
  readonly clock: SimulatedClock;
  readonly journal: Journal;
  invoke(changes?: JsonObject): Promise<RunOutcome>;
  settle<T>(promise: Promise<T>): Promise<T>;
  events(runId: string): Promise<readonly RunEvent[]>;
  of<T extends EventType>(runId: string, type: T): Promise<readonly EventOf<T>[]>;
  /** The ids of all other runs in the journal. */
  lanes(runId: string): Promise<readonly string[]>;
  approve(outcome: RunOutcome, place?: number): Promise<RunOutcome>;
}

export interface RigSetup {
  readonly limits?: Partial<KernelLimits>;
  readonly world?: Partial<World>;
  readonly clock?: SimulatedClock;
  readonly journal?: Journal;
}

/** A runtime of these agents; `invoke` runs the first. */
export function laneRig(agents: readonly Agent[], setup: RigSetup = {}): LaneRig {
  const { limits = {}, world = {}, clock = simulatedClock(START_MS) } = setup;
  const journal = setup.journal ?? memoryJournal({ hash: sha256 });
  const runtime = ambit({ agents, limits, world: { clock, timer: clock, ids: countingIds(), journal, ...world } });
  const asked = agents[0]?.spec.name ?? '';
  const settle = <T>(promise: Promise<T>): Promise<T> => letTimePass(clock, promise);
  const events = async (runId: string): Promise<readonly RunEvent[]> =>
    (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  return {
    runtime,
    clock,
    journal,
    settle,
    events,
    invoke: (changes = {}) => settle(runtime.invoke({ ...REQUEST, agent: asked, ...changes })),
    of: async (runId, type) => (await events(runId)).filter((event) => event.type === type) as never,
    lanes: async (runId) =>
      (await journal.list({ order: 'oldest' })).map((row) => row.session_id).filter((id) => id !== runId),
    approve: async (outcome, place = 0) => {
      const gate = outcome.pending[place];
      if (gate === undefined) throw new Error(`there is no gate ${place}`);
      const { gateId, packetHash } = gate;
      return await settle(runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'seen' }));
    },
  };
}
