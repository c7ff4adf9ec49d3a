import type { Agent } from '../agent/agent.ts';
import { parallelFaults } from '../agent/check/parallel-steps.ts';
import { collectFaults, throwFaults } from '../agent/check/values.ts';
import type { Machine } from '../agent/machine.ts';
import type { AgentRuntimeOptions, AgentsRuntimeOptions, AmbitOptions } from '../agent/options.ts';
import { withCompanions } from '../gateway/tool/bound-tools.ts';
import { Fault } from '../model/fault/fault.ts';
import { guardMethods } from '../model/fault/guard-input.ts';
import type { GrantTerms } from '../model/gate/grant.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import type { StartRequest } from '../model/run/run-request.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { createFamily } from '../session/lanes/family.ts';
import { copyInput, readUntrusted, requireId } from '../session/read-input.ts';
import type { AgentRuntime, Ambit } from './ambit.ts';
import { withLanes } from './expand-lanes.ts';
import { type OneAgent, oneAgent, type SharedDeps } from './one-agent.ts';
import { type RunHandle, readStartArguments } from './run-handle.ts';
import { createServing } from './serve.ts';
import { createTenantRuntime } from './tenants/tenant-runtime.ts';
import type { ThreadOwner } from './threads.ts';

type Declared = AmbitOptions | AgentRuntimeOptions | AgentsRuntimeOptions;

export function runtimeOf(declared: Declared, machine: Machine): Ambit {
  const agents = assembleAll(splitOptions(declared), machine);
  const { journal, ports } = agents[0].parts;
  const runtime = severalAgents(agents, journal);
  const names = agents.map(({ host }) => host.agent.name);
  const { serve, wake, resumeAll, damaged } = createServing({ ...ports, runtime, journal, agents: names });
  const all: Ambit = guardMethods('runtime', {
    ...runtime,
    sessions: { ...runtime.sessions, wake, resumeAll, damaged },
    serve,
    within: (identity) => guardMethods('runtime', createTenantRuntime(all, identity, { journal, clock: ports.clock })),
  });
  return all;
}

/** The options of each agent, as if it were the only one. */
function splitOptions(declared: Declared): readonly AmbitOptions[] {
  if (typeof declared !== 'object' || declared === null || !('agents' in declared)) {
    return [splitAgent<AmbitOptions>(declared)];
  }
  const { agents, ...rest } = declared;
  if (Object.hasOwn(rest, 'agent')) throw wrong('agent and agents are both set: pass one agent, or a list of agents');
  const one = ['tools', 'planner', 'decisions', 'roles'].find((option) => Object.hasOwn(rest, option));
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
    const hosts: OneAgent[] = [];
    const placed = withLanes(options);
    const makers = placed.map((one) => () => hosts.push(oneAgent(one, { ...machine, openStore }, shared)));
    throwFaults([
      ...collectFaults(...makers),
      ...parallelFaults(options),
      ...keptTypeFaults(placed.map((one) => one.options)),
    ]);
    const [first, ...others] = hosts;
    if (first === undefined) throw wrong('a runtime needs at least one agent');
    return [first, ...others];
  } catch (error) {
    // The error of the agents is the one to report, even if closing the unused store fails.
    void (opened as Journal | null)?.close().catch(() => undefined);
    throw error;
  }
}

const wrong = (message: string): Fault => new Fault('input_invalid', message, { path: '/agents' });

/**
 * The `memory.keep` types that no tool produces. A misspelt type would otherwise go unnoticed until a memory is missing.
 * Agents and their lanes share one memory, so the check covers all of them at once.
 */
function keptTypeFaults(agents: readonly AmbitOptions[]): readonly Fault[] {
  // Tools that cannot be read have a fault of their own.
  const isReadable = (one: AmbitOptions | undefined): boolean =>
    Array.isArray(one?.tools) && one.tools.every((tool) => Array.isArray(tool?.spec?.produces));
  if (!agents.every(isReadable)) return [];
  const produced = new Set(agents.flatMap(({ tools }) => withCompanions(tools).flatMap(({ spec }) => spec.produces)));
  const kept = new Set(agents.flatMap(({ world }) => Object.keys(world?.memory?.keep ?? {})));
  const known =
    produced.size === 0 ? 'the tools produce no evidence' : `the tools produce ${[...produced].toSorted().join(', ')}`;
  return [...kept]
    .filter((type) => !produced.has(type))
    .map((type) => {
      const path = `/world/memory/keep${pointerToken(type)}`;
      const message = `${path}: no tool produces evidence of type ${printable(type)}; ${printable(known)}`;
      return new Fault('input_invalid', message, { path });
    });
}

/** Splits an agent into the separate options that the later checks expect. Nothing is validated here. */
function splitAgent<Parts>(options: unknown): Parts {
  const agent = (options as { readonly agent?: unknown } | undefined)?.agent;
  if (typeof agent !== 'object' || agent === null || !('spec' in agent)) return options as Parts;
  const twice = ['tools', 'planner', 'decisions', 'roles'].filter((part) => Object.hasOwn(options as object, part));
  if (twice.length > 0) {
    const message = `the agent already has its ${twice.join(', ')}: declare them in agent(), and remove them here`;
    throw new Fault('input_invalid', message, { path: `/${twice[0]}` });
  }
  const { spec, tools, planner, decisions, roles = {}, stated } = agent as Agent;
  const written = stated === undefined ? {} : { stated };
  return { ...(options as object), agent: spec, tools, planner, decisions, roles, ...written } as Parts;
}

type Owner = (id: unknown, ...rest: readonly unknown[]) => Promise<AgentRuntime>;
type Method = (...args: readonly unknown[]) => Promise<unknown>;
type Stream = (...args: readonly unknown[]) => AsyncIterable<unknown>;

/** Refuses to start a worker: only in its lane does it have the gate and the budget of the lane. */
function assertStartable(agents: readonly OneAgent[], name: unknown): void {
  const worker = agents.find(({ host, parent }) => parent !== null && host.agent.name === name);
  if (worker === undefined) return;
  const roots = agents.filter(({ parent }) => parent === null).map(({ host }) => host.agent.name);
  const root = roots.find((each) => worker.host.agent.name.startsWith(`${each}/`)) ?? worker.parent;
  const message = `${worker.host.agent.name} works only in lanes of ${worker.parent}: start ${root} instead`;
  throw new Fault('permission_denied', message, { path: '/agent' });
}

function unknownAgent(name: unknown, { host: { agent } }: OneAgent, names: string): Fault {
  const message =
    name === undefined
      ? `agent is missing: name the agent, such as start('${agent.name}', request); there are ${names}`
      : `there is no agent ${printable(String(name))} here; there are ${names}`;
  return new Fault('input_invalid', message, { path: '/agent' });
}

/** The runtime of several agents. A call that names a run goes to the agent that owns the run. */
function severalAgents(agents: readonly OneAgent[], journal: Journal): AgentRuntime {
  const [first] = agents;
  if (first === undefined) throw new Fault('input_missing', 'a runtime needs at least one agent', { path: '/agents' });
  if (agents.length === 1) return first.runtime;
  const byName = new Map(agents.map(({ host, runtime }) => [host.agent.name, runtime]));
  const names = agents.flatMap(({ host, parent }) => (parent === null ? host.agent.name : [])).join(', ');
  const agentNamed = (name: unknown, use?: 'start'): AgentRuntime => {
    if (use === 'start') assertStartable(agents, name);
    const runtime = typeof name === 'string' ? byName.get(name) : undefined;
    if (runtime !== undefined) return runtime;
    throw unknownAgent(name, first, names);
  };
  const requireAgent = (name: string | undefined, which: string): AgentRuntime => {
    if (name !== undefined) return agentNamed(name);
    const all = [...byName.keys()].join(', ');
    throw new Fault('input_missing', `agent is missing: name the agent ${which}: ${all}`, { path: '/agent' });
  };
  const ofRun = async (runId: unknown): Promise<AgentRuntime> => {
    const [row] = await journal.list({ session: requireId(runId as string), limit: 1 });
    if (row === undefined) throw new Fault('session_not_found', `there is no session ${printable(String(runId))}`);
    const runtime = byName.get(row.agent);
    if (runtime !== undefined) return runtime;
    // Any agent can read or end a run whose own agent is gone. It cannot continue the run: the versions differ.
    return first.runtime;
  };
  const ofGate = async (gateId: unknown): Promise<AgentRuntime> => {
    const [row] = await journal.gates({ gate: requireId(gateId as string), limit: 1 });
    if (row !== undefined) return await ofRun(row.session_id);
    // The gate is unknown or belongs to an imported run; any agent reports the fault.
    return first.runtime;
  };
  const ofTool = async (terms: unknown): Promise<AgentRuntime> => {
    const { tool } = readUntrusted(() => copyInput(terms as Pick<GrantTerms, 'tool'>));
    const owner = agents.find(({ parts }) => parts.pins.registry.tools.some(({ name }) => name === tool));
    return (owner ?? first).runtime;
  };
  const ofThread = async (thread: unknown, of: unknown): Promise<AgentRuntime> => {
    const { tenant } = readUntrusted(() => copyInput(of as ThreadOwner));
    const [row] = await journal.threads({ thread: requireId(thread as string), tenant, limit: 1 });
    // Any agent reports a thread that does not exist.
    return (row === undefined ? undefined : byName.get(row.agent)) ?? first.runtime;
  };
  const owners: Partial<Record<Route, Owner>> = { run: ofRun, gate: ofGate, thread: ofThread, tool: ofTool };
  const routed = (route: Route, path: Path): unknown => {
    if (route === 'stream') return streamFrom(ofRun, path);
    const owner = owners[route];
    return owner === undefined ? methodAt(first.runtime, path) : forwardTo(owner, path);
  };
  const start = (...args: readonly unknown[]): RunHandle => {
    const { agent, request, ...options } = readStartArguments(args);
    if (agent !== undefined) return agentNamed(agent, 'start').start(agent, request as StartRequest, options);
    const asked = readUntrusted(() => copyInput(request as StartRequest & { readonly agent?: unknown }));
    return agentNamed(asked.agent, 'start').start(asked, options);
  };
  return {
    ...routedRuntime(first.runtime, routed),
    start,
    invoke: async (...args: readonly unknown[]) => await start(...args).settled,
    verify: async (plan, options) => await requireAgent(options?.agent, 'that has the plan').verify(plan, options),
    agents: {
      list: () => agents.flatMap(({ runtime }) => runtime.agents.list()),
      explain: (agent) => requireAgent(agent, 'to explain').agents.explain(),
      dryRun: async (plan, options) =>
        await requireAgent(options?.agent, 'that has the plan').agents.dryRun(plan, options),
      breakers: () => agents.flatMap(({ runtime }) => runtime.agents.breakers()),
    },
  };
}

/** A method at the top level of a runtime, or of one of its groups. */
type Path = readonly [name: string] | readonly [group: string, name: string];

/** Every method by its route, in the shape of the runtime. */
function routedRuntime(first: AgentRuntime, routed: (route: Route, path: Path) => unknown): AgentRuntime {
  const members = Object.entries(ROUTES).map(([group, route]): readonly [string, unknown] => {
    if (typeof route === 'string') return [group, routed(route, [group])];
    const methods = Object.entries(route as Readonly<Record<string, Route>>);
    return [group, Object.fromEntries(methods.map(([name, each]) => [name, routed(each, [group, name])]))];
  });
  return { ...first, ...(Object.fromEntries(members) as Partial<AgentRuntime>) };
}

function methodAt(runtime: AgentRuntime, path: Path): unknown {
  return path.reduce<unknown>((found, name) => (found as Readonly<Record<string, unknown>>)[name], runtime);
}

/** The owner of the run is looked up with the first value that is read. */
const streamFrom = (owner: Owner, path: Path) =>
  async function* stream(id: unknown, ...rest: readonly unknown[]): AsyncGenerator<unknown, void, void> {
    const method = methodAt(await owner(id), path) as Stream;
    yield* method(id, ...rest);
  };

const forwardTo =
  (owner: Owner, path: Path): Method =>
  async (id, ...rest) => {
    const method = methodAt(await owner(id, ...rest), path) as Method;
    return await method(id, ...rest);
  };

/**
 * The agent that answers a method where a runtime has several: the one that owns the run or the gate named first
 * (`stream` if the method returns an async iterable), the one whose thread is named, the one that has the tool, the one called by name, each of them,
 * or any of them, because they share the store.
 */
type Route = 'run' | 'stream' | 'gate' | 'thread' | 'tool' | 'agent' | 'store' | 'each';

/** A route for each top-level method, and for each method of a group; `store` for a group that only reads the store. */
type Routes<Shape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends (...args: never[]) => unknown
    ? Route
    : 'store' | { readonly [Method in keyof Shape[Name]]: Route };
};

/** Complete by its type: a new method does not compile until it has a route. */
const ROUTES: Routes<AgentRuntime> = {
  start: 'agent',
  invoke: 'agent',
  approve: 'gate',
  resume: 'run',
  verify: 'agent',
  close: 'store',
  agents: { list: 'each', explain: 'agent', dryRun: 'agent', breakers: 'each' },
  gates: {
    list: 'store',
    get: 'gate',
    approve: 'gate',
    reject: 'gate',
    edit: 'gate',
    requestInfo: 'gate',
    provideInfo: 'gate',
    packet: 'store',
    evidence: 'store',
  },
  sessions: {
    list: 'store',
    get: 'run',
    contract: 'run',
    progress: 'stream',
    watch: 'stream',
    driver: 'run',
    follow: 'run',
    answer: 'run',
    send: 'run',
    decideEscalation: 'run',
    extendBudget: 'run',
    pause: 'run',
    interrupt: 'run',
    resume: 'run',
    steer: 'run',
    previewMigration: 'run',
    migrate: 'run',
    cancel: 'run',
    terminate: 'run',
    readState: 'run',
    writeState: 'run',
  },
  records: {
    trace: 'run',
    account: 'run',
    otel: 'run',
    metrics: 'store',
    facts: 'run',
    label: 'run',
    labels: 'store',
    observation: 'run',
    stateAt: 'run',
    replay: 'run',
    diff: 'run',
    whatIf: 'run',
    fork: 'run',
    forkOf: 'run',
    finished: 'run',
    artifacts: 'run',
    export: 'run',
    import: 'store',
    imported: 'run',
    verify: 'store',
    shadow: 'run',
    audit: 'run',
    auditRecord: 'run',
    diagnose: 'run',
    frames: 'run',
    phases: 'run',
    transcripts: 'run',
    exchanges: 'run',
    document: 'run',
    handoff: 'run',
  },
  threads: { list: 'store', get: 'thread', export: 'thread' },
  grants: { give: 'tool', revoke: 'store', list: 'store', refused: 'store' },
  killSwitches: 'store',
  vault: 'store',
  memory: 'store',
};
