/** A run that waits at a gate, and approvers with signing keys. */
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import type { EventOf } from '../../../src/model/events/event.ts';
import type { GateDecisionKind, GatePolicy } from '../../../src/model/gate/gate.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Credential } from '../../../src/ports/approvers.ts';
import type { KeyStore } from '../../../src/ports/keys.ts';
import { enrolKey, signDecision } from '../../../src/runtime/gates/keys.ts';
import type { PendingGate } from '../../../src/session/outcome.ts';
import { planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';

export const PAY: RigOptions = {
  tools: {
    look: { produces: ['account'], execute: () => ({ balance: 100 }) },
    pay: {
      approval_mode: 'destructive',
      side_effect: true,
      category: 'payment',
      gates: ['GATE_FINANCE'],
      produces: ['done'],
      input_schema: { type: 'object', properties: { amount: { type: 'integer', maximum: 500 } } },
      hazards: { blast_radius: 'One payment.', rollback: 'Cancel within an hour.' },
    },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'look' },
      {
        id: 's2',
        tool: 'pay',
        depends_on: ['s1'],
        requires: ['GATE_FINANCE'],
        params: { amount: { $from: 's1', path: '/balance' } },
      },
    ]),
  ],
};

export interface Signer {
  readonly keyId: string;
  sign(
    gate: PendingGate,
    decision: GateDecisionKind,
    at: number,
    changes?: JsonObject,
    gates?: readonly string[],
  ): Credential;
  /** Signs any other statement, given as a function of the key id. */
  signText(text: (keyId: string) => string, at: number): Credential;
}

/** An approver with an enrolled key. */
export async function signer(
  keys: KeyStore,
  approver: string,
  changes: { readonly tenant?: string; readonly roles?: readonly string[]; readonly expires?: number } = {},
): Promise<Signer> {
  const pair = newKeyPair();
  const keyId = `key_${approver}_${(await keys.list()).length}`;
  await enrolKey(keys, {
    key_id: keyId,
    approver,
    tenant_id: changes.tenant ?? 'tenant_a',
    roles: changes.roles ?? ['finance'],
    public_key: pair.publicKey,
    enrolled_at: START_MS,
    enrolled_by: 'security_desk',
    expires_at: changes.expires ?? null,
  });
  return {
    keyId,
    signText: (text, signedAt) => ({
      kind: 'signing_key',
      keyId,
      signedAt,
      signature: signText(pair.privateKey, text(keyId)),
    }),
    sign: (gate, decision, at, parameters, gates) =>
      signDecision(
        {
          gate_id: gate.gateId,
          packet_hash: gate.packetHash,
          decision,
          reason: 'seen',
          parameters: parameters ?? null,
          ...(gates === undefined ? {} : { gates }),
          key_id: keyId,
          signed_at: at,
        },
        (text) => signText(pair.privateKey, text),
      ),
  };
}

export interface Waiting {
  readonly bench: Rig;
  readonly keys: KeyStore;
  readonly gate: PendingGate;
  readonly runId: string;
}

export async function waitingSigned(policy: Partial<GatePolicy> = { roles: ['finance'] }): Promise<Waiting> {
  const keys = memoryKeys();
  const bench = rig({
    ...PAY,
    world: { policy: { gates: { GATE_FINANCE: policy }, approvers: { keys } } },
  });
  const { pending, runId } = await bench.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  return { bench, keys, gate, runId };
}

export async function refusals(bench: Rig, runId: string): Promise<readonly EventOf<'decision_refused'>[]> {
  return (await bench.events(runId)).flatMap((event) => (event.type === 'decision_refused' ? [event] : []));
}
