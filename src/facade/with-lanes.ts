import { withCompanions } from '../gateway/bound-tools.ts';
import { Fault } from '../model/fault.ts';
import { DEPTH_MAX } from '../model/run-context.ts';
import type { Agent } from '../session/declare/agent.ts';
import { laneAgentName } from '../session/lanes/lane-desk.ts';
import { isLaneTool, type LaneTool } from './lane.ts';
import type { AmbitOptions } from './options.ts';

/** An agent as it is put together, and the agents on the way to it where it works in a lane. */
export interface Seated {
  readonly options: AmbitOptions;
  readonly path: readonly string[];
}

/**
 * Every agent and, below it, those that work in its lanes, each with the tools that the lane leaves it. The same agent
 * in two lanes is two of them: what each may do follows from where it stands.
 */
export function withLanes(given: readonly AmbitOptions[]): readonly AmbitOptions[] {
  const roots = given.map((options) => ({ options, path: [nameOf(options)] }));
  return roots.flatMap((root) => below(root, given)).map(({ options }) => options);
}

/** Options have not been looked at by now: what is wrong with them is said when they are put together. */
const nameOf = (options: AmbitOptions | null | undefined): string => options?.agent?.name ?? '';

function below(seated: Seated, given: readonly AmbitOptions[]): readonly Seated[] {
  const { options, path } = seated;
  if (path.length > DEPTH_MAX || !Array.isArray(options?.tools)) return [seated];
  const lanes = lanesOf(options).flatMap((lane) => {
    assertDelegable(options, lane);
    const worker = workerOf(lane, given);
    // An agent that is asked to work for itself is refused when it is asked: nobody ever stands there.
    if (path.includes(worker.spec.name)) return [];
    return below({ options: laneOptions(options, lane, worker), path: [...path, worker.spec.name] }, given);
  });
  return [seated, ...lanes];
}

/** The lanes that an agent may open. */
function lanesOf({ agent, tools }: AmbitOptions): readonly LaneTool[] {
  const bound = tools.filter((each) => typeof each === 'object' && each !== null && typeof each.spec === 'object');
  const lanes = withCompanions(bound).filter(isLaneTool);
  return lanes.filter(({ spec }) => agent?.boundary?.tools?.allowed.includes(spec.name) === true);
}

/** Nobody hands on what they do not have. */
function assertDelegable({ agent }: AmbitOptions, { spec, worker }: LaneTool): void {
  const { allowed } = agent.boundary.tools;
  const beyond = (spec.lane?.tools ?? []).filter((tool) => !allowed.includes(tool));
  if (beyond.length > 0) {
    const message = `${spec.name}: ${agent.name} may not use ${beyond.join(', ')} itself, so no lane of it may`;
    throw new Fault('tool_not_allowed', message, { path: '/agent/boundary/tools/allowed' });
  }
  if (typeof worker === 'string' && agent.autonomy.topology?.name !== 'specialist_swarm') {
    const message = `${spec.name}: only a specialist_swarm hands tasks to peers by name; give the agent itself`;
    throw new Fault('topology_not_allowed', message, { path: '/agent/autonomy/topology' });
  }
}

function workerOf({ worker, spec }: LaneTool, given: readonly AmbitOptions[]): Agent {
  if (typeof worker !== 'string') return worker;
  const peer = given.find((options) => nameOf(options) === worker);
  if (peer === undefined) {
    throw new Fault('input_invalid', `${spec.name}: there is no agent ${worker} in this runtime`, { path: '/agents' });
  }
  const { agent, tools, planner, decisions = [] } = peer;
  return { spec: agent, tools, planner, decisions };
}

/** The worker as this lane has it: under a name of its own, and allowed no more than the lane is. */
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
    ...(store === undefined ? {} : { store }),
    ...(limits === undefined ? {} : { limits }),
    ...(world === undefined ? {} : { world }),
  };
}
