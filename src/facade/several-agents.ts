import type { Ask } from '../model/ask.ts';
import { Fault } from '../model/fault.ts';
import type { GrantTerms } from '../model/grant.ts';
import { printable } from '../model/printable.ts';
import type { Journal } from '../ports/journal.ts';
import { given, named, plainly } from '../session/given.ts';
import { importNote } from '../session/imported.ts';
import type { AgentDoor } from './ambit.ts';
import type { OneAgent } from './one-agent.ts';
import { ROUTES, type Route } from './routes.ts';

type Owner = (id: unknown) => Promise<AgentDoor>;
type Method = (...given: readonly unknown[]) => Promise<unknown>;
type Stream = (...given: readonly unknown[]) => AsyncIterable<unknown>;

/** One door for all of them. Whatever concerns a run goes to the agent whose run it is. */
export function severalAgents(agents: readonly OneAgent[], journal: Journal): AgentDoor {
  const [first] = agents;
  if (first === undefined) throw new Fault('input_missing', 'a runtime has at least one agent', { path: '/agents' });
  if (agents.length === 1) return first.door;
  const byName = new Map(agents.map(({ host, door }) => [host.agent.name, door]));
  const names = [...byName.keys()].join(', ');
  const called = (name: unknown): AgentDoor => {
    const door = typeof name === 'string' ? byName.get(name) : undefined;
    if (door !== undefined) return door;
    throw new Fault('input_invalid', `there is no agent ${printable(String(name))} here; there are ${names}`, {
      path: '/agent',
    });
  };
  const ofRun = async (runId: unknown): Promise<AgentDoor> => {
    const [row] = await journal.list({ session: named(runId as string), limit: 1 });
    if (row === undefined) throw new Fault('session_not_found', `there is no session ${printable(String(runId))}`);
    const door = byName.get(row.agent);
    if (door !== undefined) return door;
    // What came from elsewhere is only looked at, and any of them can do that.
    if ((await importNote(journal, row.session_id)) !== null) return first.door;
    throw new Fault('session_not_found', `${row.session_id} is a run of ${row.agent}, which is not here: ${names} are`);
  };
  const ofGate = async (gateId: unknown): Promise<AgentDoor> => {
    const [row] = await journal.gates({ gate: named(gateId as string), limit: 1 });
    if (row !== undefined) return await ofRun(row.session_id);
    // One of an imported run, or of none: any of them can say so.
    return first.door;
  };
  const ofTool = async (terms: unknown): Promise<AgentDoor> => {
    const { tool } = plainly(() => given(terms as Pick<GrantTerms, 'tool'>));
    const owner = agents.find(({ parts }) => parts.pins.registry.tools.some(({ name }) => name === tool));
    return (owner ?? first).door;
  };
  const find: Partial<Record<Route, Owner>> = { run: ofRun, gate: ofGate, tool: ofTool };
  const routed = Object.entries(ROUTES).flatMap(([name, route]): readonly [string, unknown][] => {
    if (route === 'stream') return [[name, streamedBy(ofRun, name)]];
    const owner = find[route];
    return owner === undefined ? [] : [[name, sentTo(owner, name)]];
  });
  return {
    ...first.door,
    ...(Object.fromEntries(routed) as unknown as Partial<AgentDoor>),
    invoke: async (request: unknown, ask?: Ask) => {
      if (ask !== undefined) return await called(request).invoke(String(request), ask);
      const asked = plainly(() => given(request as { readonly agent?: unknown }));
      return await called(asked.agent).invoke(asked);
    },
    dryRun: (plan, agent) => {
      if (agent !== undefined) return called(agent).dryRun(plan);
      throw new Fault('input_missing', `whose plan is it? Name the agent: ${names}`, { path: '/agent' });
    },
    agents: () => agents.flatMap(({ door }) => door.agents()),
    breakers: () => agents.flatMap(({ door }) => door.breakers()),
  };
}

/** Whose run it is comes out with the first thing that is asked for. */
const streamedBy = (owner: Owner, name: string) =>
  async function* stream(id: unknown, ...rest: readonly unknown[]): AsyncGenerator<unknown, void, void> {
    const door = (await owner(id)) as unknown as Readonly<Record<string, Stream>>;
    yield* door[name]?.(id, ...rest) ?? [];
  };

const sentTo =
  (owner: Owner, name: string): Method =>
  async (id, ...rest) => {
    const door = (await owner(id)) as unknown as Readonly<Record<string, Method>>;
    const method = door[name];
    if (method === undefined) throw new Fault('internal', `no agent can be asked for ${name}`);
    return await method(id, ...rest);
  };
