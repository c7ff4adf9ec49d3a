import { GATE_MODE_APPROVAL } from '../../src/model/gate/gate.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Identity } from '../../src/model/run/identity.ts';
import type { RunRequest } from '../../src/model/run/run-request.ts';
import type { Ambit } from '../../src/runtime/ambit.ts';
import type { TenantRuntime } from '../../src/runtime/tenants/tenant-runtime.ts';
import { memoryStores, type Vault, vaults } from '../../src/store.ts';
import { planOf, REQUEST, type Rig, rig, START_MS } from '../runs/rig.ts';

/** Stands in everything that tenant B owns, so that a result that holds it is a leak. */
export const CANARY = 'canary_of_b';

export const identityOf = (tenant_id: string): Identity => ({
  actor: `agt_of_${tenant_id}`,
  tenant_id,
  roles: ['worker'],
  scopes: ['all'],
  expires_at: START_MS + 3_600_000_000,
});

export const requestOf = (tenant_id: string, changes: JsonObject = {}): RunRequest => ({
  ...REQUEST,
  tenant_id,
  identity: identityOf(tenant_id),
  ...changes,
});

/** A person who decides for one tenant; the host's authenticator knows the tenant by the token. */
export const personOf = (tenant: string): { readonly kind: 'operator_token'; readonly token: string } => ({
  kind: 'operator_token',
  token: tenant,
});

export interface TwoTenants {
  readonly bench: Rig;
  readonly runtime: Ambit;
  readonly a: TenantRuntime<Ambit>;
  readonly vault: Vault;
  /** Every id of tenant B: runs, gate, packet, document, grant, kill switch, handle, thread, and the tenant itself. */
  readonly ids: Readonly<Record<string, string>>;
  /** What tenant B owns, as one text. It must not change. */
  ownedByB(): Promise<string>;
  /** The part of it that decisions change. A refused decision is recorded in the run and changes nothing of this. */
  decidedForB(): Promise<string>;
}

function rigOf(vault: Vault): Rig {
  const large = planOf([{ id: 's1', tool: 'fetch', params: {} }]);
  const post = planOf([{ id: 's1', tool: 'post', params: { to: CANARY }, requires: [GATE_MODE_APPROVAL] }]);
  return rig({
    tools: {
      fetch: {
        limits: { payload_max_bytes: 100 },
        produces: ['done'],
        execute: () => ({ text: `${CANARY} `.repeat(50) }),
      },
      post: { approval_mode: 'network', side_effect: true, gates: [GATE_MODE_APPROVAL], produces: ['done'] },
    },
    plans: [large, post, large],
    options: { limits: { onEscalate: 'end' } },
    world: {
      vault,
      memory: { store: memoryStores.inMemory(), keep: {} },
      policy: {
        approvers: {
          authenticator: {
            identify: async (credential) =>
              credential.kind === 'operator_token'
                ? { name: `lead_of_${credential.token}`, tenantId: credential.token, roles: ['operator', 'compliance'] }
                : null,
          },
        },
      },
    },
  });
}

/** A standing grant of tenant B. */
const TERMS = {
  grant_id: 'grant_b',
  tenant_id: 'tenant_b',
  tool: 'post',
  arguments: { to: { any: true } },
  uses_max: 1,
  microusd_max: 0,
  reason: CANARY,
  expires_at: START_MS + 3_000_000_000,
} as const;

/** Two tenants on one runtime and one store. Tenant B has something of every kind. */
export async function openTwoTenants(): Promise<TwoTenants> {
  const vault = vaults.inMemory();
  const bench = rigOf(vault);
  const { runtime } = bench;
  const b = runtime.within(identityOf('tenant_b'));
  const goal = { statement: `Do the work of ${CANARY}` };
  const over = await bench.settle(b.invoke(requestOf('tenant_b', { goal, thread: 'thread_b' })));
  const waiting = await bench.settle(b.invoke(requestOf('tenant_b', { goal })));
  const [gate] = waiting.pending;
  if (gate === undefined || over.terminalCode !== 'SUCCESS')
    throw new Error(`${over.terminalCode}: ${over.why.join(' ')}; ${waiting.why.join(' ')}`);
  const observed = (await bench.events(over.runId)).find(({ type }) => type === 'step_observed') as unknown as {
    readonly raw: JsonObject;
  };
  await runtime.grants.give(TERMS, personOf('tenant_b'));
  const scope = { tenant: 'tenant_b', tool: 'other' };
  const switchId = await runtime.killSwitches.throw({ scope, by: 'lead_of_tenant_b', reason: CANARY });
  const handle = await vault.seal('tenant_b', JSON.stringify(CANARY));
  return {
    bench,
    runtime,
    vault,
    a: runtime.within(identityOf('tenant_a')),
    ids: {
      'a run': over.runId,
      'a waiting run': waiting.runId,
      'a gate': gate.gateId,
      'a packet': gate.packetHash,
      'a document': String(observed.raw['$blob']),
      'a grant': 'grant_b',
      'a kill switch': switchId,
      'a sealed value': handle,
      'a thread': 'thread_b',
      'the tenant': 'tenant_b',
    },
    decidedForB: async () => {
      const events = [...(await bench.events(over.runId)), ...(await bench.events(waiting.runId))];
      const sessions = await runtime.sessions.list({ tenant: 'tenant_b' });
      const switches = await runtime.killSwitches.list();
      return JSON.stringify([
        events.filter(({ type }) => type !== 'decision_refused'),
        sessions.map(({ runId, status, terminalCode }) => [runId, status, terminalCode]),
        await runtime.grants.list({ tenant: 'tenant_b' }),
        switches.map(({ switch_id, lifted }) => [switch_id, lifted]),
        await vault.open('tenant_b', handle),
        await vault.accesses('tenant_b'),
      ]);
    },
    ownedByB: async () =>
      JSON.stringify([
        await runtime.records.frames(over.runId),
        await runtime.records.frames(waiting.runId),
        await runtime.sessions.list({ tenant: 'tenant_b' }),
        await runtime.gates.list({ tenant: 'tenant_b' }),
        await runtime.grants.list({ tenant: 'tenant_b' }),
        await runtime.killSwitches.list(),
        await runtime.memory.list('tenant_b'),
        await runtime.threads.list({ tenant: 'tenant_b' }),
        await vault.open('tenant_b', handle),
        await vault.tenants(),
      ]),
  };
}
