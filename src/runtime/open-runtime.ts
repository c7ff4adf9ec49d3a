import { assertKeptTypes, splitAgent } from '../agent/check/memory-types.ts';
import type { Machine } from '../agent/machine.ts';
import type { AgentRuntimeOptions, AgentsRuntimeOptions, AmbitOptions } from '../agent/options.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { createFamily } from '../session/lanes/family.ts';
import type { Ambit } from './ambit.ts';
import { withLanes } from './expand-lanes.ts';
import { type OneAgent, oneAgent, type SharedDeps } from './one-agent.ts';
import { createServing } from './serve.ts';
import { severalAgents } from './several-agents.ts';
import { createTenantRuntime } from './tenants/tenant-runtime.ts';

type Declared = AmbitOptions | AgentRuntimeOptions | AgentsRuntimeOptions;

export function runtimeOf(declared: Declared, machine: Machine): Ambit {
  const agents = assembleAll(splitOptions(declared), machine);
  const { journal, ports } = agents[0].parts;
  const runtime = severalAgents(agents, journal);
  const names = agents.map(({ host }) => host.agent.name);
  const { serve, wake, resumeAll } = createServing({ ...ports, runtime, journal, agents: names });
  const all: Ambit = {
    ...runtime,
    sessions: { ...runtime.sessions, wake, resumeAll },
    serve,
    within: (identity) => createTenantRuntime(all, identity, { journal, clock: ports.clock }),
  };
  return all;
}

/** The options of each agent, as if it were the only one. */
function splitOptions(declared: Declared): readonly AmbitOptions[] {
  if (typeof declared !== 'object' || declared === null || !('agents' in declared)) {
    return [splitAgent<AmbitOptions>(declared)];
  }
  const { agents, ...rest } = declared;
  const one = ['agent', 'tools', 'planner', 'decisions'].find((option) => Object.hasOwn(rest, option));
  if (one !== undefined) throw wrong(`${one} belongs to one agent: declare it with agent(), and remove it here`);
  if (!Array.isArray(agents) || agents.length === 0) throw wrong('agents must be a list of agents made with agent()');
  const names = agents.map((agent) => agent?.spec?.name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw wrong(`two agents are called ${duplicate}: give each its own name`);
  return agents.map((agent) => splitAgent<AmbitOptions>({ ...rest, agent }));
}

/** Assembles all agents over one store, which is opened once. The store is closed again if one of them is invalid. */
function assembleAll(options: readonly AmbitOptions[], machine: Machine): readonly [OneAgent, ...OneAgent[]] {
  let opened: Journal | null = null;
  const openStore = (store: string): Journal => {
    opened ??= machine.openStore(store);
    return opened;
  };
  try {
    const shared: SharedDeps = { family: createFamily(), deciding: new Map() };
    const [first, ...others] = withLanes(options).map((one) => oneAgent(one, { ...machine, openStore }, shared));
    if (first === undefined) throw wrong('a runtime needs at least one agent');
    assertKeptTypes([first, ...others].map(({ parts }) => parts.pins));
    return [first, ...others];
  } catch (error) {
    // The error of the agents is the one to report, even if closing the unused store fails.
    void (opened as Journal | null)?.close().catch(() => undefined);
    throw error;
  }
}

const wrong = (message: string): Fault => new Fault('input_invalid', message, { path: '/agents' });
