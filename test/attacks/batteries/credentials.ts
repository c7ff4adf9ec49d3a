import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { DecisionProof } from '../../../src/model/gate/gate.ts';
import type { DecisionStatement } from '../../../src/model/gate/signing-text.ts';
import type { Authenticator, Credential, Person } from '../../../src/ports/approvers.ts';
import type { UnprovenCause } from '../../../src/ports/proofs.ts';
import { enrolKey } from '../../../src/runtime/gates/keys.ts';
import type { PendingGate } from '../../../src/session/outcome.ts';
import { operator, type Rig, START_MS } from '../../runs/rig.ts';
import type { Attack, Battery } from '../battery.ts';
import {
  atGate,
  enrolPerson,
  FORGED,
  type KeyHolder,
  reason,
  type SharedStore,
  untilSent,
  yesTo,
} from '../forged-record.ts';

const HOUR_MS = 3_600_000;

interface Waiting {
  readonly store: SharedStore;
  readonly gate: PendingGate;
  readonly bob: KeyHolder;
}

type Sign = (waiting: Waiting) => Promise<Credential> | Credential;

const signedYes =
  (changes: Partial<DecisionStatement>): Sign =>
  ({ store, gate }) =>
    store.ana.sign(yesTo(gate, changes));

const altered =
  (changes: Partial<Extract<Credential, { kind: 'signing_key' }>>): Sign =>
  ({ store, gate }) => ({ ...store.ana.sign(yesTo(gate)), ...changes });

/** A person whose key differs from ana's. */
const person =
  (name: string, changes: Parameters<typeof enrolPerson>[2]): Sign =>
  async ({ store, gate }) =>
    (await enrolPerson(store.keys, name, changes)).sign(yesTo(gate));

const REVOKED = { at: START_MS, by: 'security_desk', reason: 'lost laptop' };
const OTHER_HASH = `sha256:${'0'.repeat(64)}` as const;

/** Credentials that are no yes of ana to this gate, with the code of their refusal. */
const PRESENTED: readonly (readonly [string, string, Sign])[] = [
  ['a key that is not enrolled', 'signature_invalid', altered({ keyId: 'key_eve' })],
  [
    'the signature of another key',
    'signature_invalid',
    ({ store, gate, bob }) => {
      const { signature } = bob.sign(yesTo(gate));
      return { ...store.ana.sign(yesTo(gate)), signature };
    },
  ],
  ['an empty signature', 'signature_invalid', altered({ signature: '' })],
  ['another time than the signed one', 'signature_invalid', altered({ signedAt: START_MS + 1 })],
  [
    'a second spelling of the signature',
    'signature_invalid',
    ({ store, gate }) => {
      const { signature, ...rest } = store.ana.sign(yesTo(gate));
      return { ...rest, signature: `${signature.slice(0, -2)}\n==` };
    },
  ],
  ['a signed rejection', 'signature_invalid', signedYes({ decision: 'reject' })],
  ['another reason than the signed one', 'signature_invalid', signedYes({ reason: 'never' })],
  ['the signature for another packet', 'signature_invalid', signedYes({ packet_hash: OTHER_HASH })],
  ['the signature for another gate', 'signature_invalid', signedYes({ gate_id: 'gate_run_9_1' })],
  ['the signature for other arguments', 'signature_invalid', signedYes({ parameters: { amount: 1 } })],
  [
    'a signature from an hour ago',
    'signature_expired',
    ({ store, gate }) => store.ana.sign(yesTo(gate), START_MS - HOUR_MS),
  ],
  [
    'a signature from the next hour',
    'signature_expired',
    ({ store, gate }) => store.ana.sign(yesTo(gate), START_MS + HOUR_MS),
  ],
  ['a revoked key', 'signing_key_revoked', person('carl', { revoked: REVOKED })],
  ['an expired key', 'signing_key_revoked', person('carl', { expires_at: START_MS })],
  ['a key that is enrolled later', 'signing_key_revoked', person('carl', { enrolled_at: START_MS + HOUR_MS })],
  ['a key of another tenant', 'permission_denied', person('carl', { tenant_id: 'tenant_b' })],
  ['the key of the requester', 'permission_denied', person('agt_worker', {})],
  ['the key of the requester in other letters', 'permission_denied', person('AGT_Worker', {})],
  ['a name without a key', 'credential_unknown', () => FORGED],
  ['a token without an authenticator', 'credential_unknown', () => ({ kind: 'operator_token', token: 'secret' })],
];

async function waitingYes(): Promise<Waiting> {
  const { store, gate } = await atGate();
  return { store, gate, bob: await enrolPerson(store.keys, 'bob') };
}

const approve = async (bench: Rig, { gateId, packetHash }: PendingGate, credential: Credential): Promise<unknown> =>
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential, reason }));

const presentedCredentials: Attack = {
  name: 'a credential that is not a yes of this person is refused',
  run: async ({ refuses, attempt }) => {
    for (const [name, code, sign] of PRESENTED) {
      const waiting = await waitingYes();
      const bench = waiting.store.keyed();
      await refuses(name, async () => await approve(bench, waiting.gate, await sign(waiting)), code);
      await attempt(`${name}: nothing is sent`, () => deepEqual(bench.dispatches, []));
    }
  },
};

/** The recorded proof of a presented credential. */
function proofOf({ keyId, signedAt, signature }: ReturnType<KeyHolder['sign']>, roles = ['finance']): DecisionProof {
  const signed = { key_id: keyId, signed_at: signedAt, signature };
  return { credential: 'signing_key', tenant_id: 'tenant_a', roles, ...signed };
}

type Forge = (waiting: Waiting) => Promise<DecisionProof | undefined> | DecisionProof | undefined;

const recordedYes =
  (changes: Partial<DecisionStatement>): Forge =>
  ({ store, gate }) =>
    proofOf(store.ana.sign(yesTo(gate, changes)));

/** Ana's yes with a key that differs from her own. */
const keyOfAna =
  (changes: Parameters<typeof enrolPerson>[2], tenant_id = 'tenant_a'): Forge =>
  async ({ store, gate }) => ({
    ...proofOf((await enrolPerson(store.keys, 'ana', changes)).sign(yesTo(gate))),
    tenant_id,
  });

const named =
  (credential: DecisionProof['credential']): Forge =>
  () => ({
    credential,
    tenant_id: 'tenant_a',
    roles: ['finance'],
  });

/** Proofs that a forger writes into the record of ana's yes, and the cause for which none counts. */
const RECORDED: readonly (readonly [string, UnprovenCause, Forge])[] = [
  ['no proof', 'unsigned', () => undefined],
  ['the word of a process', 'unsigned', named('local_operator')],
  ['the token of an operator', 'unsigned', named('operator_token')],
  ['a single sign-on', 'unsigned', named('single_sign_on')],
  ['a key without a signature', 'unsigned', named('signing_key')],
  [
    'a key that is not enrolled',
    'key_unknown',
    ({ store, gate }) => ({ ...proofOf(store.ana.sign(yesTo(gate))), key_id: 'key_eve' }),
  ],
  ['a key of another tenant', 'key_unknown', keyOfAna({ tenant_id: 'tenant_b' })],
  ['a key that was revoked before', 'key_not_valid', keyOfAna({ revoked: REVOKED })],
  ['a key that had expired', 'key_not_valid', keyOfAna({ expires_at: START_MS })],
  ['a key that is enrolled later', 'key_not_valid', keyOfAna({ enrolled_at: START_MS + HOUR_MS })],
  [
    'the signature of another person',
    'signature_invalid',
    ({ store, gate, bob }) => ({
      ...proofOf(bob.sign(yesTo(gate))),
      key_id: store.ana.keyId,
    }),
  ],
  ['the yes of another person', 'person_differs', ({ gate, bob }) => proofOf(bob.sign(yesTo(gate)))],
  [
    'more roles than the key has',
    'person_differs',
    ({ store, gate }) => proofOf(store.ana.sign(yesTo(gate)), ['finance', 'board']),
  ],
  ['a signed rejection', 'signature_invalid', recordedYes({ decision: 'reject' })],
  ['a signed question', 'signature_invalid', recordedYes({ decision: 'request_info' })],
  ['another reason than the signed one', 'signature_invalid', recordedYes({ reason: 'never' })],
  ['the signature for another packet', 'signature_invalid', recordedYes({ packet_hash: OTHER_HASH })],
  ['the signature for the gate of another run', 'signature_invalid', recordedYes({ gate_id: 'gate_run_9_1' })],
  [
    'a yes that was never delivered, an hour later',
    'signature_invalid',
    ({ store, gate }) => proofOf(store.ana.sign(yesTo(gate), START_MS - HOUR_MS)),
  ],
  [
    'a signature without an end',
    'signature_invalid',
    ({ store, gate }) => {
      const proof = proofOf(store.ana.sign(yesTo(gate)));
      return { ...proof, signature: proof.signature?.slice(0, -2) ?? '' };
    },
  ],
];

/** Records ana's yes with a forged proof, and lets the runtime with keys take over. */
async function assertUnproven(cause: UnprovenCause, forge: Forge): Promise<void> {
  const waiting = await waitingYes();
  const { store, gate } = waiting;
  const proof = await forge(waiting);
  const forged = (event: RunEvent): object => {
    if (event.type !== 'gate_decided') return event;
    const { proof: _, ...rest } = event;
    return proof === undefined ? rest : { ...rest, proof };
  };
  const forger = store.forger(undefined, forged);
  const { gateId, packetHash } = gate;
  await untilSent(forger, forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
  const bench = store.keyed();
  await rejects(bench.settle(bench.runtime.resume('run_1')), { code: 'decision_unproven' });
  deepEqual(bench.dispatches, []);
  const { proofs } = await bench.runtime.records.verify('run_1');
  ok(proofs !== 'not checked');
  deepEqual(
    proofs.unproven.map((found) => [found.by, found.cause]),
    [['ana', cause]],
  );
}

const recordedProofs: Attack = {
  name: 'a recorded proof that proves nothing permits nothing',
  run: async ({ attempt }) => {
    for (const [name, cause, forge] of RECORDED) await attempt(name, () => assertUnproven(cause, forge));
    await attempt('a proven yes is taken over and paid once', async () => {
      const { store, gate } = await waitingYes();
      const proof = proofOf(store.ana.sign(yesTo(gate)));
      const forger = store.forger(undefined, (event) => (event.type === 'gate_decided' ? { ...event, proof } : event));
      const { gateId, packetHash } = gate;
      await untilSent(forger, forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
      // A later revocation does not change what the key has decided before.
      await store.keys.revoke(store.ana.keyId, { ...REVOKED, at: START_MS + 1 });
      const bench = store.keyed();
      bench.clock.advanceTo(START_MS + 60_000);
      equal((await bench.settle(bench.runtime.resume('run_1'))).terminalCode, 'SUCCESS');
      equal(bench.dispatches.length, 1);
    });
  },
};

/** Names that look like another name, or like none: blank, invisible, reordered, too long, in other letters. */
const WEAK_NAMES = [
  '',
  ' ',
  'ana bell',
  'ana\n',
  '\u200bana',
  'ana\u2800',
  '\u202eana',
  'a'.repeat(1_000),
  '__proto__',
  '\u0430na',
];

const weakNames: Attack = {
  name: 'an approver has a name that a reader of the record can recognise',
  run: async ({ refuses }) => {
    for (const name of WEAK_NAMES) {
      const { store, gate } = await atGate();
      const bench = store.keyed(undefined, {});
      await refuses(JSON.stringify(name.slice(0, 20)), () => approve(bench, gate, operator(name, ['finance'])));
    }
    for (const other of ['ANA', '\uff41\uff4e\uff41', '\u0430na']) {
      const { store } = await atGate();
      const terms = { key_id: 'key_2', tenant_id: 'tenant_a', roles: [], public_key: '', enrolled_at: START_MS };
      await refuses(`${JSON.stringify(other)} is enrolled beside ana`, () =>
        enrolKey(store.keys, { ...terms, approver: other, enrolled_by: 'desk', expires_at: null }),
      );
    }
  },
};

const TOKEN = { kind: 'console_session', token: 'secret' } as const;
const BEN: Person = { name: 'ben', tenantId: 'tenant_a', roles: ['finance'] };

/** What a defective or hostile authenticator of the host returns. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  nobody: null,
  'a person of another tenant': { ...BEN, tenantId: 'tenant_b' },
  'the requester': { ...BEN, name: 'agt_worker' },
  'the requester in other letters': { ...BEN, name: 'AGT_WORKER' },
  'a name with a blank': { ...BEN, name: 'ben dover' },
  'an empty name': { ...BEN, name: '' },
};

const FAILURES: Readonly<Record<string, () => unknown>> = {
  'a rejection': () => Promise.reject(new Error('down')),
  'a synchronous error': () => {
    throw new Error('down');
  },
  'a rejection without a reason': () => Promise.reject(undefined),
  'a person without a promise': () => BEN,
  nothing: () => undefined,
};

const lyingAuthenticators: Attack = {
  name: 'an authenticator that is wrong permits no decision',
  run: async ({ refuses, attempt }) => {
    for (const [name, answer] of Object.entries(ANSWERS)) {
      const { store, gate } = await atGate();
      const bench = store.keyed(undefined, { authenticator: { identify: async () => answer as Person } });
      await refuses(name, () => approve(bench, gate, TOKEN));
      await attempt(`${name}: nothing is sent`, () => deepEqual(bench.dispatches, []));
    }
    for (const [name, identify] of Object.entries(FAILURES)) {
      await refuses(name, async () => {
        const { store, gate } = await atGate();
        const authenticator = { identify } as unknown as Authenticator;
        await approve(store.keyed(undefined, { authenticator }), gate, TOKEN);
      });
    }
    await attempt('a token that another process recorded proves nothing where the tenant has keys', async () => {
      const { store, gate } = await atGate();
      const { keys } = store;
      const identify = async (): Promise<Person> => BEN;
      const forger = store.forger();
      const { gateId, packetHash } = gate;
      await untilSent(forger, forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
      const bench = store.keyed(undefined, { keys, authenticator: { identify } });
      await rejects(bench.settle(bench.runtime.resume('run_1')), { code: 'decision_unproven' });
      deepEqual(bench.dispatches, []);
    });
  },
};

const usedTwice: Attack = {
  name: 'a signature counts once',
  run: async ({ refuses }) => {
    const { store, gate } = await waitingYes();
    const bench = store.keyed();
    const credential = store.ana.sign(yesTo(gate, { decision: 'request_info' }));
    const ask = (): Promise<unknown> =>
      bench.runtime.gates.requestInfo(gate.gateId, { packetHash: gate.packetHash, credential, reason });
    await ask();
    await refuses('at the same gate', ask, 'decision_replayed');
  },
};

export const credentials: Battery = {
  name: 'credentials',
  attacks: [presentedCredentials, recordedProofs, weakNames, lyingAuthenticators, usedTwice],
};
