/** Attempts to permit a call by a row that no person signed. */

import { deepEqual, equal, match } from 'node:assert/strict';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import { posting, TO_ONE } from '../../runs/gates/posting-runs.ts';
import { START_MS } from '../../runs/rig.ts';
import type { Attack } from '../battery.ts';
import { assertHeld, atGate, gateIn, reason, sharedStore, untilSent, yesTo } from '../forged-record.ts';

const HELD_GRANT = {
  kind: 'standing',
  ...TO_ONE,
  approver: 'ana',
  granted_at: START_MS,
  proof: { credential: 'local_operator', tenant_id: 'tenant_a', roles: ['finance'] },
} as const;

const POSTING = posting('team_a', 1);

async function forgedGrant(): Promise<void> {
  const store = await sharedStore(POSTING);
  await store.journal.giveGrant(HELD_GRANT);
  const bench = store.keyed();
  const waiting = await bench.invoke();
  deepEqual([gateIn(waiting).name, bench.dispatches], [GATE_MODE_APPROVAL, []]);
}

/** Ana's own signature under terms that she did not sign. */
async function widenedGrant(): Promise<void> {
  const store = await sharedStore(POSTING);
  const { keyId, signedAt, signature } = store.ana.sign((key_id, signed_at) =>
    signingText.grant({ ...TO_ONE, arguments: { to: { one_of: ['team_b'] }, text: { any: true } }, key_id, signed_at }),
  );
  const signed = { key_id: keyId, signed_at: signedAt, signature };
  const proof = { credential: 'signing_key', tenant_id: 'tenant_a', roles: ['finance'], ...signed } as const;
  await store.journal.giveGrant({ ...HELD_GRANT, proof });
  const bench = store.keyed();
  equal(gateIn(await bench.invoke()).name, GATE_MODE_APPROVAL);
}

async function forgedGrantInFlight(): Promise<void> {
  const store = await sharedStore(POSTING);
  await store.journal.giveGrant(HELD_GRANT);
  const forger = store.forger();
  await untilSent(forger, forger.invoke());
  await assertHeld(store, 'step_cleared', { runId: 'run_1' });
}

/** A kill switch with an unsigned lift still stops the call. */
async function forgedLift(
  scope: { readonly tool?: string; readonly tenant?: string },
  credential: 'none' | 'signed',
): Promise<void> {
  const { store, gate } = await atGate();
  const { journal, ana } = store;
  const switch_id = 'switch_1';
  await journal.throwSwitch({ switch_id, scope, thrown: { by: 'ops', reason: 'stop', at: START_MS }, lifted: null });
  const { keyId, signedAt, signature } = ana.sign((key_id, signed_at) =>
    signingText.lift({ switch_id, reason, key_id, signed_at }),
  );
  const signed = { credential: 'signing_key', key_id: keyId, signed_at: signedAt, signature } as const;
  const proof = credential === 'signed' ? signed : ({ credential: 'local_operator' } as const);
  const lifted = { by: 'ana', reason, at: START_MS, proof: { tenant_id: 'tenant_a', roles: ['finance'], ...proof } };
  await journal.liftSwitch(switch_id, lifted);
  const bench = store.keyed();
  const answer = { packetHash: gate.packetHash, credential: ana.sign(yesTo(gate)), reason };
  const done = await bench.settle(bench.runtime.approve(gate.gateId, answer));
  deepEqual([done.terminalCode, bench.dispatches], ['PERMISSION_DENIED', []]);
  match(JSON.stringify(await bench.events(done.runId)), /kill_switch_on/);
}

export const forgedRows: Attack = {
  name: 'a forged row permits a call',
  run: async ({ attempt }) => {
    await attempt('a standing grant', forgedGrant);
    await attempt('a standing grant with wider terms than signed', widenedGrant);
    await attempt('a standing grant in a call under way', forgedGrantInFlight);
    await attempt('a lifted kill switch', () => forgedLift({ tool: 'pay' }, 'none'));
    await attempt('a lifted switch of a tenant', () => forgedLift({ tenant: 'tenant_a' }, 'none'));
    await attempt('a switch over every tenant, lifted by a person without the role', () =>
      forgedLift({ tool: 'pay' }, 'signed'),
    );
  },
};
