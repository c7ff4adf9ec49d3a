import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toMCP } from '../../../src/adapters/mcp/index.ts';
import { workspace } from '../../../src/index.ts';
import { redactor } from '../../../src/model/text/redact/redact.ts';
import type { BoundTool, ToolContext } from '../../../src/ports/bound-tool.ts';
import { memoryStores, vaults } from '../../../src/store.ts';
import type { Attack, Battery } from '../battery.ts';
import { MOVED, readMoved } from '../moved-rows.ts';
import { CANARY, identityOf, openTwoTenants, personOf, requestOf, type TwoTenants } from '../two-tenants.ts';

type Method = (...args: readonly unknown[]) => unknown;

/** Every method of a runtime by its path, such as `sessions.get`. A new method is found without a change here. */
const methodsOf = (runtime: object): ReadonlyMap<string, Method> =>
  new Map(
    Object.entries(runtime).flatMap(([name, member]): readonly (readonly [string, Method])[] =>
      typeof member === 'function'
        ? [[name, member as Method]]
        : Object.entries(member as object)
            .filter(([, method]) => typeof method === 'function')
            .map(([method, call]) => [`${name}.${method}`, call as Method] as const),
    ),
  );

/** What an attacker of tenant A puts in the place of the first argument, by name. */
const firstArguments = (ids: TwoTenants['ids']): readonly (readonly [string, unknown])[] => [
  ...Object.entries(ids),
  ...Object.entries(ids).map(
    ([name, id]) => [`an object that turns into ${name}`, { toString: () => id, id }] as const,
  ),
  ['no argument', undefined],
  ['a filter by tenant', { tenant: 'tenant_b' }],
  [
    'a filter by other names',
    { tenantId: 'tenant_b', tenant_id: 'tenant_b', thread: 'thread_b', session: ids['a run'] },
  ],
  ['a request of the tenant', requestOf('tenant_b')],
  ['a request with two identities', { ...requestOf('tenant_a'), identity: identityOf('tenant_b') }],
  ['a request in a thread of the tenant', requestOf('tenant_b', { thread: 'thread_b' })],
];

/** What follows the first argument: together they fit every method. */
const restArguments = (ids: TwoTenants['ids']): readonly (readonly unknown[])[] => {
  const decision = { packetHash: ids['a packet'], credential: personOf('tenant_a'), reason: 'mine' };
  return [
    [],
    [{ tenant: 'tenant_b', user: 'agt_of_tenant_b' }],
    [ids['a document'], personOf('tenant_a'), { tenant: 'tenant_b' }],
    [ids['a sealed value'], personOf('tenant_a')],
    [decision],
    [{ ...decision, parameters: { to: 'eve' } }],
    [{ ...decision, text: 'known', decision: 'terminate', delta: { steps_max: 1 } }],
    ['mine', personOf('tenant_a')],
    ['done', 'model', 'note'],
    ['task_state', 'auditor'],
    ['task_state', 'system'],
    [{ questionId: 'q', packetHash: null }, {}, 'agt_of_tenant_b'],
    [{ type: 'run_cancelled', by: 'agt_of_tenant_b', reason: 'gone' }],
    [1, {}],
  ];
};

/** The result of a call as one text: values, the first values of streams, and the message of a fault. */
async function outcomeOf({ bench }: TwoTenants, call: () => unknown): Promise<string> {
  try {
    const result = await bench.settle(Promise.resolve(call()));
    if (typeof result !== 'object' || result === null) return String(result);
    if (Symbol.asyncIterator in result) {
      const { value } = await (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
      return JSON.stringify(value) ?? '';
    }
    return JSON.stringify(result) ?? '';
  } catch (error) {
    return `${(error as Error).message} ${JSON.stringify(error)}`;
  }
}

const crossedMethods: Attack = {
  name: 'a tenant calls every method of its runtime with what belongs to another tenant',
  run: async ({ attempt }) => {
    const tenants = await openTwoTenants();
    const before = await tenants.ownedByB();
    const methods = methodsOf(tenants.a);
    await attempt('there are methods to call', () => equal(methods.size > 50, true));
    for (const [name, method] of methods) {
      for (const [what, first] of firstArguments(tenants.ids)) {
        await attempt(`${name} with ${what}`, async () => {
          for (const rest of restArguments(tenants.ids)) {
            const outcome = await outcomeOf(tenants, () => method(first, ...rest));
            equal(outcome.includes(CANARY), false, `it returned ${outcome.slice(0, 200)}`);
          }
        });
      }
      await attempt(`${name} changes nothing`, async () => equal(await tenants.ownedByB(), before));
    }
  },
};

/** Methods of the host, which needs no authentication. Every other method that changes something needs a person. */
const HOST: readonly string[] = [
  ...['start', 'invoke', 'resume', 'close', 'within', 'serve', 'sessions.wake', 'sessions.resumeAll'],
  ...['sessions.send', 'sessions.answer', 'sessions.writeState', 'records.audit', 'records.import', 'vault.seal'],
  ...[
    'memory.quarantine',
    'memory.rebuild',
    'killSwitches.throw',
    'sessions.follow',
    'sessions.watch',
    'sessions.progress',
  ],
];

const foreignDeciders: Attack = {
  name: 'a person of one tenant decides about another tenant',
  run: async ({ attempt }) => {
    const tenants = await openTwoTenants();
    const before = await tenants.decidedForB();
    const methods = methodsOf(tenants.runtime);
    await attempt('the methods of the host exist', () => {
      deepEqual(
        HOST.filter((name) => !methods.has(name)),
        [],
      );
    });
    for (const [name, method] of methods) {
      if (HOST.includes(name)) continue;
      await attempt(name, async () => {
        for (const first of Object.values(tenants.ids)) {
          for (const rest of restArguments(tenants.ids)) await outcomeOf(tenants, () => method(first, ...rest));
          const order = { switchId: tenants.ids['a kill switch'], reason: 'mine', credential: personOf('tenant_a') };
          await outcomeOf(tenants, () => method(order));
        }
        equal(await tenants.decidedForB(), before);
      });
    }
  },
};

/** Context of a call of a tenant. */
const contextOf = (tenantId: string, idempotencyKey: string): ToolContext =>
  ({ tenantId, idempotencyKey, signal: AbortSignal.timeout(60_000) }) as unknown as ToolContext;

const boards: Attack = {
  name: 'a tenant names the board of another one',
  run: async ({ attempt, refuses }) => {
    const [read, write, wait] = workspace({ name: 'case', keys: { notes: null } }).tools('planner');
    const call = async (tool: BoundTool, tenant: string, key: string, args: object): Promise<unknown> =>
      await tool.execute({ board: 'case_1', key: 'notes', ...args }, contextOf(tenant, key));
    await call(write, 'tenant_b', 'k1', { value: CANARY, base_version: 0 });
    await attempt('reads it', async () => {
      deepEqual(await call(read, 'tenant_a', 'k', {}), { key: 'notes', value: null, version: 0 });
    });
    await refuses(
      'overwrites it',
      () => call(write, 'tenant_a', 'k2', { value: 'eve', base_version: 1 }),
      'workspace_conflict',
    );
    await attempt('repeats a write of the other tenant', async () => {
      const entry = await call(write, 'tenant_a', 'k1', { value: 'own', base_version: 0 });
      deepEqual(entry, { key: 'notes', value: 'own', version: 1 });
      deepEqual(await call(read, 'tenant_b', 'k', {}), { key: 'notes', value: CANARY, version: 1 });
    });
    await attempt('is woken by its own board only', async () => {
      const waiting = call(wait, 'tenant_a', 'k', { after_version: 1 });
      await call(write, 'tenant_b', 'k3', { value: `${CANARY} again`, base_version: 1 });
      await call(write, 'tenant_a', 'k4', { value: 'own again', base_version: 1 });
      deepEqual(await waiting, { key: 'notes', value: 'own again', version: 2 });
    });
    for (const board of ['tenant_b', '../tenant_b/case/case_1', 'case/case_1', '["tenant_b","case","case_1"]']) {
      await attempt(`the board ${board}`, async () => {
        deepEqual(await call(read, 'tenant_a', 'k', { board }), { key: 'notes', value: null, version: 0 });
      });
    }
  },
};

/** Every method of the stores that a host passes in, called by tenant A for what tenant B stored. */
const stores: Attack = {
  name: 'a store is asked for another tenant',
  run: async ({ attempt }) => {
    const vault = vaults.inMemory();
    const handle = await vault.seal('tenant_b', JSON.stringify(CANARY));
    const erasure = { tenant_id: 'tenant_a', by: 'eve', reason: 'mine', at: 1 };
    const look = { tenant_id: 'tenant_a', handle, gate_id: 'g', by: 'eve', at: 1 };
    const ofVault: Readonly<Record<string, readonly unknown[]>> = {
      seal: ['tenant_a', JSON.stringify(CANARY)],
      open: ['tenant_a', handle],
      reveal: [look],
      accesses: ['tenant_a'],
      erase: [erasure],
      erasures: ['tenant_a'],
      tenants: [],
    };
    const memory = memoryStores.inMemory();
    const entry = { tenant_id: 'tenant_a', entry_id: 'm1' };
    const ofMemory: Readonly<Record<string, readonly unknown[]>> = {
      put: [entry],
      recall: [{ tenant: 'tenant_a', now: 1 }],
      quarantine: ['tenant_a', 'm1', { reason: 'mine', at: 1 }],
      restore: [entry],
      list: ['tenant_a'],
    };
    for (const [name, store, calls] of [
      ['vault', vault, ofVault],
      ['memory', memory, ofMemory],
    ] as const) {
      await attempt(`every method of the ${name} has an attempt`, () => {
        deepEqual(
          Object.keys(calls).toSorted(),
          Object.keys(store)
            .filter((method) => method !== 'close')
            .toSorted(),
        );
      });
      for (const [method, args] of Object.entries(calls)) {
        await attempt(`${name}.${method}`, async () => {
          const ask = (store as unknown as Readonly<Record<string, Method>>)[method];
          const result = await Promise.resolve(ask?.(...args)).catch((error) => String(error));
          equal(String(JSON.stringify(result)).includes(CANARY), false);
          equal(result === handle, false);
          equal(await vault.open('tenant_b', handle), JSON.stringify(CANARY));
        });
      }
    }
    await attempt('the keys of one tenant are no keys of another', () => {
      equal(redactor(new Set([CANARY])).text(handle), handle);
    });
  },
};

const USERS = [
  ['another user of the same client', { clientId: 'web', token: 'token_eve', extra: { sub: 'eve' } }],
  ['another token of the same client', { clientId: 'web', token: 'token_eve' }],
  ['the same user name of another client', { clientId: 'cli', token: 'token_bob', extra: { sub: 'bob' } }],
  ['a token that is the name of the user', { clientId: 'web', token: 'bob' }],
  ['an empty user name', { clientId: 'web', token: 'token_eve', extra: { sub: '' } }],
  ['a user name that is no text', { clientId: 'web', token: 'token_eve', extra: { sub: ['bob'] } }],
] as const;

type Auth = { readonly clientId: string; readonly token: string; readonly extra?: Readonly<Record<string, unknown>> };

const mcpUsers: Attack = {
  name: 'users share one OAuth client',
  run: async ({ attempt }) => {
    const { runtime } = await openTwoTenants();
    const request = (): unknown => requestOf('tenant_b');
    const service = toMCP(() => runtime.within(identityOf('tenant_b')), { name: 'x', request });
    const call = async (auth: Auth, name: string, args: Record<string, unknown>): Promise<string> => {
      const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const fetch = (url: string | URL, init: RequestInit = {}): Promise<Response> => {
        const headers = new Headers(init.headers);
        headers.set('host', 'localhost');
        return service.fetch(new Request(url, { ...init, headers }), { authInfo: { ...auth, scopes: [] } });
      };
      await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
      const answer = await client.callTool({ name, arguments: args });
      await client.close();
      return JSON.stringify(answer);
    };
    const bob = { clientId: 'web', token: 'token_bob', extra: { sub: 'bob' } };
    const started = await call(bob, 'invoke', { goal: `Work of ${CANARY}` });
    const [run_id = ''] = /run_\d+/.exec(started) ?? [];
    await attempt('the user sees the own run, also with a new token', async () => {
      equal((await call({ ...bob, token: 'renewed' }, 'status', { run_id })).includes('session_not_found'), false);
    });
    for (const [name, auth] of USERS) {
      await attempt(name, async () => {
        equal((await call(auth, 'status', { run_id })).includes('session_not_found'), true);
      });
    }
    await service.close();
  },
};

/** A row is a copy of the record, so the record of the run decides. */
const movedRows: Attack = {
  name: 'one UPDATE hands a run or a gate to another tenant',
  run: async ({ attempt }) => {
    const folder = mkdtempSync(join(tmpdir(), 'ambit-moved-'));
    try {
      for (const [name, sql, read, returns] of MOVED)
        await attempt(name, async () => deepEqual(await readMoved(folder, sql, read), returns));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

export const tenants: Battery = {
  name: 'tenants',
  attacks: [crossedMethods, movedRows, foreignDeciders, boards, stores, mcpUsers],
};
