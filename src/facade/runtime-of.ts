import { Fault } from '../model/fault.ts';
import type { Journal } from '../ports/journal.ts';
import { assertKeptTypes } from '../session/assembly/kept-types.ts';
import { partsOf } from '../session/assembly/parts-of.ts';
import { createFamily } from '../session/lanes/family.ts';
import { tenantDoor } from '../session/tenants/tenant-door.ts';
import type { Ambit } from './ambit.ts';
import type { Machine } from './machine.ts';
import { type OneAgent, oneAgent, type Together } from './one-agent.ts';
import type { AgentRuntimeOptions, AgentsRuntimeOptions, AmbitOptions } from './options.ts';
import { servingOf } from './serving.ts';
import { severalAgents } from './several-agents.ts';
import { withLanes } from './with-lanes.ts';

type Declared = AmbitOptions | AgentRuntimeOptions | AgentsRuntimeOptions;

export function runtimeOf(declared: Declared, machine: Machine): Ambit {
  const agents = together(eachOf(declared), machine);
  const { journal, ports } = agents[0].parts;
  const door = severalAgents(agents, journal);
  const names = agents.map(({ host }) => host.agent.name);
  const whole: Ambit = {
    ...door,
    ...servingOf({ ...ports, door, journal, agents: names }),
    within: (identity) => tenantDoor(whole, identity, { journal, clock: ports.clock }),
  };
  return whole;
}

/** The options of each agent by itself, as if it were the only one. */
function eachOf(declared: Declared): readonly AmbitOptions[] {
  if (typeof declared !== 'object' || declared === null || !('agents' in declared)) {
    return [partsOf<AmbitOptions>(declared)];
  }
  const { agents, ...rest } = declared;
  const one = ['agent', 'tools', 'planner', 'decisions'].find((option) => Object.hasOwn(rest, option));
  if (one !== undefined) throw wrong(`${one} belongs to one agent: declare it with agent(), and leave it out here`);
  if (!Array.isArray(agents) || agents.length === 0) throw wrong('agents is a list of what agent() made');
  const names = agents.map((agent) => agent?.spec?.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`two agents are called ${twice}: a run belongs to one of them by name`);
  return agents.map((agent) => partsOf<AmbitOptions>({ ...rest, agent }));
}

/** All of them over one store, which is opened once; let go of again where one of them cannot be put together. */
function together(options: readonly AmbitOptions[], machine: Machine): readonly [OneAgent, ...OneAgent[]] {
  let opened: Journal | null = null;
  const openStore = (store: string): Journal => {
    opened ??= machine.openStore(store);
    return opened;
  };
  try {
    const kin: Together = { family: createFamily(), deciding: new Map() };
    const [first, ...others] = withLanes(options).map((one) => oneAgent(one, { ...machine, openStore }, kin));
    if (first === undefined) throw wrong('a runtime has at least one agent');
    assertKeptTypes([first, ...others].map(({ parts }) => parts.pins));
    return [first, ...others];
  } catch (error) {
    // What is wrong with the agents is what is said, whatever becomes of a store that nothing was written to.
    void (opened as Journal | null)?.close().catch(() => undefined);
    throw error;
  }
}

const wrong = (message: string): Fault => new Fault('input_invalid', message, { path: '/agents' });
