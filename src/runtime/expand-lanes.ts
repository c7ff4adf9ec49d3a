import type { Agent } from '../agent/agent.ts';
import { isLaneTool, type LaneTool } from '../agent/lane.ts';
import type { AmbitOptions } from '../agent/options.ts';
import { withCompanions } from '../gateway/tool/bound-tools.ts';
import type { EventBody } from '../model/events/event.ts';
import { Fault } from '../model/fault/fault.ts';
import { DEPTH_MAX } from '../model/run/lane.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { LiveRun } from '../session/drive.ts';
import type { Host } from '../session/host.ts';
import type { FamilyMember } from '../session/lanes/family.ts';
import { laneAgentName } from '../session/lanes/lane-tasks.ts';
import { hasLostWork } from '../session/lease.ts';
import type { RunOutcome } from '../session/outcome.ts';
import { isUnproven } from '../session/proofs/assert-proven.ts';

/** The options of an agent, and the names of its ancestors if it works in a lane. */
interface PlacedAgent {
  readonly options: AmbitOptions;
  readonly path: readonly string[];
  /** The name of the agent whose lane this agent works in; null for a declared agent. */
  readonly parent: string | null;
}

/**
 * Lists every agent and, below it, the agents of its lanes, each limited to the lane's tools. An agent in two lanes is
 * listed twice, because its permissions depend on the lane.
 */
export function withLanes(declared: readonly AmbitOptions[]): readonly Pick<PlacedAgent, 'options' | 'parent'>[] {
  const roots = declared.map((options) => ({ options, path: [nameOf(options)], parent: null }));
  const all = roots.flatMap((root) => expandLanes(root, declared));
  const names = all.map(({ options }) => nameOf(options));
  const twin = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twin === undefined) return all;
  const message = `two agents are called ${twin}: a lane's worker is called parent/tool, so give the other one another name`;
  throw new Fault('input_invalid', message, { path: '/agents' });
}

/** The options are not validated yet; `assemble` reports problems. */
const nameOf = (options: AmbitOptions | null | undefined): string => options?.agent?.name ?? '';

function expandLanes(placed: PlacedAgent, declared: readonly AmbitOptions[]): readonly PlacedAgent[] {
  const { options, path } = placed;
  if (path.length > DEPTH_MAX || !Array.isArray(options?.tools)) return [placed];
  const lanes = lanesOf(options).flatMap((lane) => {
    assertDelegable(options, lane);
    const worker = workerOf(lane, declared);
    // An agent that would work for itself is refused when the lane opens, so it needs no host.
    if (path.includes(worker.spec.name)) return [];
    const placedLane = { options: laneOptions(options, lane, worker), path: [...path, worker.spec.name] };
    return expandLanes({ ...placedLane, parent: nameOf(options) }, declared);
  });
  return [placed, ...lanes];
}

function lanesOf({ agent, tools }: AmbitOptions): readonly LaneTool[] {
  const bound = tools.filter((each) => typeof each === 'object' && each !== null && typeof each.spec === 'object');
  const lanes = withCompanions(bound).filter(isLaneTool);
  return lanes.filter(({ spec }) => agent?.boundary?.tools?.allowed.includes(spec.name) === true);
}

/** Rejects a lane with tools that its parent may not use itself. */
function assertDelegable({ agent }: AmbitOptions, { spec, worker }: LaneTool): void {
  const { allowed } = agent.boundary.tools;
  const beyond = (spec.lane?.tools ?? []).filter((tool) => !allowed.includes(tool));
  if (beyond.length > 0) {
    const message = `${spec.name}: ${agent.name} may not use ${beyond.join(', ')} itself, so its lanes may not either`;
    throw new Fault('tool_not_allowed', message, { path: '/agent/boundary/tools/allowed' });
  }
  if (typeof worker === 'string' && agent.autonomy.topology?.name !== 'specialist_swarm') {
    const message = `${spec.name}: only a specialist_swarm may name a peer; pass the agent itself`;
    throw new Fault('topology_not_allowed', message, { path: '/agent/autonomy/topology' });
  }
}

function workerOf({ worker, spec }: LaneTool, declared: readonly AmbitOptions[]): Agent {
  if (typeof worker !== 'string') return worker;
  const peer = declared.find((options) => nameOf(options) === worker);
  if (peer === undefined) {
    throw new Fault('input_invalid', `${spec.name}: there is no agent ${worker} in this runtime`, { path: '/agents' });
  }
  const { agent, tools, planner, decisions = [], roles = {}, stated } = peer;
  return { spec: agent, tools, planner, decisions, roles, ...(stated === undefined ? {} : { stated }) };
}

/** The worker's options for this lane: a name of its own, and only the tools that the lane allows. */
function laneOptions(parent: AmbitOptions, { spec }: LaneTool, worker: Agent): AmbitOptions {
  const { store, limits, world } = parent;
  const { boundary, name: _, ...rest } = worker.spec;
  const allowed = boundary.tools.allowed.filter((tool) => spec.lane?.tools.includes(tool) === true);
  return {
    agent: {
      ...rest,
      name: laneAgentName(parent.agent.name, spec.name),
      boundary: { ...boundary, tools: { ...boundary.tools, allowed } },
    },
    tools: worker.tools,
    planner: worker.planner,
    decisions: worker.decisions,
    roles: worker.roles ?? {},
    ...(worker.stated === undefined ? {} : { stated: worker.stated }),
    ...(store === undefined ? {} : { store }),
    ...(limits === undefined ? {} : { limits }),
    ...(world === undefined ? {} : { world }),
  };
}

interface MemberDeps {
  readonly host: Host;
  readonly journal: Pick<Journal, 'list'>;
  /** The runs of this agent that the process holds. */
  readonly live: Map<string, LiveRun>;
  readonly runOf: (runId: string) => Promise<LiveRun>;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  readonly resume: (runId: string) => Promise<RunOutcome>;
}

/** The runs of one agent, for the parents and the lanes of those runs. */
export function laneMember({ host, journal, live, runOf, deliver, resume }: MemberDeps): FamilyMember {
  const find: FamilyMember['find'] = async (runId) => {
    if (!live.has(runId) && (await journal.list({ session: runId, limit: 1 })).length === 0) return null;
    return await runOf(runId);
  };
  return {
    env: host.turn.env,
    holds: (runId) => live.get(runId),
    runs: () => live.values(),
    release: (runId) => {
      live.delete(runId);
    },
    find,
    cancel: async (runId, order) => {
      const run = await find(runId).catch((error: unknown) => {
        if (isUnproven(error)) return cancelUnproven(host, runId, order);
        throw error;
      });
      if (run?.state.ending.terminal === null) await run.deliver(order);
      return run;
    },
    begin: async ({ request, ...lane }) => {
      const run = await host.start(request, lane);
      live.set(lane.laneContext.run_id, run);
      return run;
    },
    loadState: (runId) => host.loadState(runId),
    deliverNews: deliver,
    resume: resume,
  };
}

/** Cancels a run that may send nothing more. Its work in flight is lost. */
async function cancelUnproven(host: Host, runId: string, order: EventBody): Promise<LiveRun> {
  const run = await host.open(runId, 'any');
  const isLost = hasLostWork(run.state);
  await run.deliver(order);
  if (isLost) await host.continueRun(run);
  return run;
}
