/** Tests that decisions about a run need the credential of a person, not only a name. */
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { type RunDecisionKind, signingText } from '../../../src/model/gate/signing-text.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Authenticator, Credential } from '../../../src/ports/approvers.ts';
import { enrolKey, signRunDecision } from '../../../src/runtime/gates/keys.ts';
import { CAPS, handoverPacket, operator, planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';
import { refusals } from './bench.ts';

/** A run without budget for its second call. */
const SHORT: RigOptions = {
  tools: { look: {}, fin: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'fin', depends_on: ['a'] },
    ]),
  ],
  caps: { ...CAPS, tool_calls_max: 1 },
};

interface SignedRun {
  readonly bench: Rig;
  readonly runId: string;
  readonly packetHash: string;
  sign(decision: RunDecisionKind, content: JsonObject, run?: string): Credential;
  signLift(switchId: string, reason: string): Credential;
}

async function keyed(tenant = 'tenant_a'): Promise<SignedRun> {
  const keys = memoryKeys();
  const pair = newKeyPair();
  const key_id = 'key_ben';
  await enrolKey(keys, {
    key_id,
    approver: 'ben',
    tenant_id: tenant,
    roles: [],
    public_key: pair.publicKey,
    enrolled_at: START_MS,
    enrolled_by: 'security_desk',
    expires_at: null,
  });
  const bench = rig({ ...SHORT, world: { policy: { approvers: { keys } } } });
  const { runId, handoverHash } = await bench.invoke();
  const sign = (text: string): string => signText(pair.privateKey, text);
  const signed_at = bench.clock.nowMs();
  return {
    bench,
    runId,
    packetHash: handoverHash ?? '',
    sign: (decision, content, run_id = runId) =>
      signRunDecision({ run_id, decision, said: content, key_id, signed_at }, sign),
    signLift: (switch_id, reason) => {
      const signature = sign(signingText.lift({ switch_id, reason, key_id, signed_at }));
      return { kind: 'signing_key', keyId: key_id, signedAt: signed_at, signature };
    },
  };
}

const reason = 'seen';
const delta = { tool_calls: 5 };

describe('while keys are enrolled', () => {
  test.each<[RunDecisionKind, JsonObject]>([
    ['escalation_decided', { decision: 'continue', reason }],
    ['budget_extended', { delta, reason }],
    ['run_resumed', { operator: true }],
    ['run_cancelled', { reason }],
  ])('%s is refused with only a name', async (type, content) => {
    const { bench, runId } = await keyed();
    const before = (await bench.events(runId)).length;
    const sent = bench.runtime.sessions.send(runId, { type, ...content, by: 'unknown_person' });
    await expect(sent).rejects.toMatchObject({ code: 'credential_unknown' });
    const proof = { credential: 'signing_key', tenant_id: 'tenant_a', roles: [] };
    const forged = bench.runtime.sessions.send(runId, { type, ...content, by: 'ben', proof });
    await expect(forged).rejects.toMatchObject({ code: 'event_illegal' });
    const [refused, ...more] = (await bench.events(runId)).slice(before);
    expect(refused).toMatchObject({ type: 'decision_refused', decision: type, claimed_by: 'unknown_person' });
    expect(more).toEqual([]);
  });

  test('accepts a signed budget extension for the shown packet, and records its proof', async () => {
    const { bench, runId, packetHash, sign } = await keyed();
    const credential = sign('budget_extended', { delta, reason, packet_hash: packetHash });
    const blind = bench.runtime.sessions.extendBudget(runId, {
      delta,
      reason,
      credential: sign('budget_extended', { delta, reason }),
    });
    await expect(blind).rejects.toMatchObject({ code: 'grant_stale' });
    const done = await bench.settle(
      bench.runtime.sessions.extendBudget(runId, { delta, reason, packetHash, credential }),
    );
    expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
    expect((await bench.events(runId)).find(({ type }) => type === 'budget_extended')).toMatchObject({
      by: 'ben',
      proof: { credential: 'signing_key', key_id: 'key_ben', signature: expect.any(String) },
    });
    await bench.runtime.records.replay(runId);
  });

  test('a signature covers its exact content and run, and is used once', async () => {
    const { bench, runId, packetHash, sign } = await keyed();
    const escalation = { decision: 'continue', reason, packetHash } as const;
    const content = { decision: 'continue', reason, packet_hash: packetHash };
    for (const credential of [
      sign('escalation_decided', { ...content, decision: 'terminate' }),
      sign('escalation_decided', content, 'run_2'),
      sign('budget_extended', content),
    ]) {
      const decided = bench.runtime.sessions.decideEscalation(runId, { ...escalation, credential });
      await expect(decided).rejects.toMatchObject({ code: 'signature_invalid' });
    }
    const credential = sign('escalation_decided', content);
    const short = await bench.settle(bench.runtime.sessions.decideEscalation(runId, { ...escalation, credential }));
    expect(short).toMatchObject({ status: 'paused', reason: 'budget_exhausted' });
    const replayed = bench.runtime.sessions.decideEscalation(runId, { ...escalation, credential });
    await expect(replayed).rejects.toMatchObject({ code: 'decision_replayed' });
  });

  test('records every refused decision with who and why, and leaves the run unchanged', async () => {
    const { bench, runId, packetHash, sign } = await keyed();
    const before = await bench.runtime.sessions.get(runId);
    const stale = `sha256:${'0'.repeat(64)}`;
    const forged = { delta, reason, packetHash, credential: sign('budget_extended', { delta, reason: 'other' }) };
    await expect(bench.runtime.sessions.extendBudget(runId, forged)).rejects.toMatchObject({
      code: 'signature_invalid',
    });
    const content = { decision: 'continue', reason } as const;
    const late = sign('escalation_decided', { ...content, packet_hash: stale });
    const decided = bench.runtime.sessions.decideEscalation(runId, { ...content, packetHash: stale, credential: late });
    await expect(decided).rejects.toMatchObject({ code: 'grant_stale' });
    const resumed = bench.runtime.sessions.resume(runId, operator('eve'));
    await expect(resumed).rejects.toMatchObject({ code: 'credential_unknown' });
    const cancelled = bench.runtime.sessions.cancel(runId, { reason, credential: operator('eve') });
    await expect(cancelled).rejects.toMatchObject({ code: 'credential_unknown' });
    expect(await refusals(bench, runId)).toMatchObject([
      { decision: 'budget_extended', claimed_by: 'ben', packet_hash: packetHash, code: 'signature_invalid' },
      { decision: 'escalation_decided', claimed_by: 'ben', packet_hash: stale, code: 'grant_stale' },
      { decision: 'run_resumed', claimed_by: 'eve', code: 'credential_unknown' },
      { decision: 'run_cancelled', claimed_by: 'eve', code: 'credential_unknown' },
    ]);
    expect(await bench.runtime.sessions.get(runId)).toEqual(before);
    await bench.runtime.records.replay(runId);
  });

  test('refuses a key of another tenant', async () => {
    const { bench, runId, sign } = await keyed('tenant_b');
    const cancelled = bench.runtime.sessions.cancel(runId, { reason, credential: sign('run_cancelled', { reason }) });
    await expect(cancelled).rejects.toMatchObject({ code: 'permission_denied' });
  });

  test('the actor of the run may cancel it without a key, and others with one', async () => {
    const { bench, runId, sign } = await keyed();
    const cancelled = await bench.runtime.sessions.cancel(runId, {
      reason,
      credential: sign('run_cancelled', { reason }),
    });
    expect(cancelled).toMatchObject({ terminalCode: 'USER_CANCEL' });
    const other = await keyed();
    const back = await other.bench.runtime.sessions.send(other.runId, {
      type: 'run_cancelled',
      by: 'agt_worker',
      reason,
    });
    expect(back).toMatchObject({ terminalCode: 'USER_CANCEL' });
  });

  test('refuses to resume with only a name, and accepts the signature of a signed resume', async () => {
    const { bench, runId, sign } = await keyed();
    const credential = sign('run_resumed', { operator: true });
    // The run waits for a decision, so a resume is illegal; the signature itself is valid.
    await expect(bench.runtime.sessions.resume(runId, credential)).rejects.toMatchObject({ code: 'event_illegal' });
    await expect(bench.runtime.sessions.resume(runId, operator('ben'))).rejects.toMatchObject({
      code: 'credential_unknown',
    });
  });

  test('a kill switch is thrown with a name and lifted with a key', async () => {
    const { bench, signLift } = await keyed();
    const { killSwitches } = bench.runtime;
    const switchId = await killSwitches.throw({ scope: { tenant: 'tenant_a' }, by: 'ana', reason: 'stop' });
    await expect(killSwitches.lift({ switchId, by: 'ben', reason })).rejects.toMatchObject({
      code: 'credential_unknown',
    });
    await killSwitches.lift({ switchId, reason, credential: signLift(switchId, reason) });
    expect(await killSwitches.list()).toMatchObject([{ lifted: { by: 'ben', proof: { key_id: 'key_ben' } } }]);
  });
});

test('an authenticator identifies who decides', async () => {
  const authenticator: Authenticator = {
    identify: async (credential, tenantId) =>
      credential.kind === 'operator_token' && credential.token === 'secret'
        ? { name: 'ben', tenantId, roles: [] }
        : null,
  };
  const bench = rig({ ...SHORT, world: { policy: { approvers: { authenticator } } } });
  const { runId, handoverHash } = await bench.invoke();
  const content = { decision: 'terminate', reason } as const;
  const sent = bench.runtime.sessions.send(runId, { type: 'escalation_decided', ...content, by: 'ben' });
  await expect(sent).rejects.toMatchObject({ code: 'credential_unknown' });
  const credential = { kind: 'operator_token', token: 'secret' } as const;
  const answer = { ...content, packetHash: handoverHash ?? '', credential };
  expect(await bench.runtime.sessions.decideEscalation(runId, answer)).toMatchObject({
    terminalCode: 'BUDGET_EXHAUSTED',
  });
});

test('without keys or authenticator, accepts a name and records it as a local operator', async () => {
  const bench = rig(SHORT);
  const frozen = await bench.invoke();
  const { runId } = frozen;
  await bench.settle(
    bench.runtime.sessions.send(runId, {
      type: 'budget_extended',
      by: 'ben',
      reason,
      delta,
      ...handoverPacket(frozen),
    }),
  );
  expect((await bench.events(runId)).find(({ type }) => type === 'budget_extended')).toMatchObject({
    by: 'ben',
    proof: { credential: 'local_operator', tenant_id: 'tenant_a' },
  });
});
