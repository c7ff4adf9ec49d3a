/** Whatever takes a person's authority over a run takes their credential, not their name. */
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { enrolKey } from '../../../src/gates/keys.ts';
import { signRunDecision } from '../../../src/gates/sign.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { liftText, type RunDecisionKind } from '../../../src/model/run-statement.ts';
import type { Authenticator, Credential } from '../../../src/ports/approvers.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig, START_MS, shown } from '../rig.ts';
import { refusals } from './bench.ts';

/** A run that cannot pay for its second call. */
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

interface Desk {
  readonly bench: Rig;
  readonly runId: string;
  readonly packetHash: string;
  sign(decision: RunDecisionKind, said: JsonObject, run?: string): Credential;
  signLift(switchId: string, reason: string): Credential;
}

async function keyed(tenant = 'tenant_a'): Promise<Desk> {
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
    sign: (decision, said, run_id = runId) => signRunDecision({ run_id, decision, said, key_id, signed_at }, sign),
    signLift: (switch_id, reason) => {
      const signature = sign(liftText({ switch_id, reason, key_id, signed_at }));
      return { kind: 'signing_key', keyId: key_id, signedAt: signed_at, signature };
    },
  };
}

const reason = 'seen';
const delta = { tool_calls: 5 };

describe('where keys are enrolled', () => {
  test.each<[RunDecisionKind, JsonObject]>([
    ['escalation_decided', { decision: 'continue', reason }],
    ['budget_extended', { delta, reason }],
    ['run_resumed', { operator: true }],
    ['run_cancelled', { reason }],
  ])('%s is not taken on a name', async (type, said) => {
    const { bench, runId } = await keyed();
    const before = (await bench.events(runId)).length;
    const told = bench.runtime.tell(runId, { type, ...said, by: 'nobody_at_all' });
    await expect(told).rejects.toMatchObject({ code: 'credential_unknown' });
    const proof = { credential: 'signing_key', tenant_id: 'tenant_a', roles: [] };
    const forged = bench.runtime.tell(runId, { type, ...said, by: 'ben', proof });
    await expect(forged).rejects.toMatchObject({ code: 'event_illegal' });
    const [refused, ...more] = (await bench.events(runId)).slice(before);
    expect(refused).toMatchObject({ type: 'decision_refused', decision: type, claimed_by: 'nobody_at_all' });
    expect(more).toEqual([]);
  });

  test('a signed extension goes on, once, with its proof on record', async () => {
    const { bench, runId, packetHash, sign } = await keyed();
    const credential = sign('budget_extended', { delta, reason, packet_hash: packetHash });
    const blind = bench.runtime.extendBudget(runId, {
      delta,
      reason,
      credential: sign('budget_extended', { delta, reason }),
    });
    await expect(blind).rejects.toMatchObject({ code: 'grant_stale' });
    const done = await bench.settle(bench.runtime.extendBudget(runId, { delta, reason, packetHash, credential }));
    expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
    expect((await bench.events(runId)).find(({ type }) => type === 'budget_extended')).toMatchObject({
      by: 'ben',
      proof: { credential: 'signing_key', key_id: 'key_ben', signature: expect.any(String) },
    });
    await bench.runtime.replay(runId);
  });

  test('a signature is for these words, this run and one time', async () => {
    const { bench, runId, packetHash, sign } = await keyed();
    const escalation = { decision: 'continue', reason, packetHash } as const;
    const said = { decision: 'continue', reason, packet_hash: packetHash };
    for (const credential of [
      sign('escalation_decided', { ...said, decision: 'terminate' }),
      sign('escalation_decided', said, 'run_2'),
      sign('budget_extended', said),
    ]) {
      const decided = bench.runtime.decideEscalation(runId, { ...escalation, credential });
      await expect(decided).rejects.toMatchObject({ code: 'signature_invalid' });
    }
    const credential = sign('escalation_decided', said);
    const short = await bench.settle(bench.runtime.decideEscalation(runId, { ...escalation, credential }));
    expect(short).toMatchObject({ status: 'paused', reason: 'budget_exhausted' });
    const replayed = bench.runtime.decideEscalation(runId, { ...escalation, credential });
    await expect(replayed).rejects.toMatchObject({ code: 'decision_replayed' });
  });

  test('what is refused about a run is on record with who and why, and the run is as it was', async () => {
    const { bench, runId, packetHash, sign } = await keyed();
    const before = await bench.runtime.outcome(runId);
    const stale = `sha256:${'0'.repeat(64)}`;
    const forged = { delta, reason, packetHash, credential: sign('budget_extended', { delta, reason: 'other' }) };
    await expect(bench.runtime.extendBudget(runId, forged)).rejects.toMatchObject({ code: 'signature_invalid' });
    const said = { decision: 'continue', reason } as const;
    const late = sign('escalation_decided', { ...said, packet_hash: stale });
    const decided = bench.runtime.decideEscalation(runId, { ...said, packetHash: stale, credential: late });
    await expect(decided).rejects.toMatchObject({ code: 'grant_stale' });
    const resumed = bench.runtime.resumeSession(runId, operator('eve'));
    await expect(resumed).rejects.toMatchObject({ code: 'credential_unknown' });
    const cancelled = bench.runtime.cancel(runId, { reason, credential: operator('eve') });
    await expect(cancelled).rejects.toMatchObject({ code: 'credential_unknown' });
    expect(await refusals(bench, runId)).toMatchObject([
      { decision: 'budget_extended', claimed_by: 'ben', packet_hash: packetHash, code: 'signature_invalid' },
      { decision: 'escalation_decided', claimed_by: 'ben', packet_hash: stale, code: 'grant_stale' },
      { decision: 'run_resumed', claimed_by: 'eve', code: 'credential_unknown' },
      { decision: 'run_cancelled', claimed_by: 'eve', code: 'credential_unknown' },
    ]);
    expect(await bench.runtime.outcome(runId)).toEqual(before);
    await bench.runtime.replay(runId);
  });

  test('a key of another tenant decides nothing here', async () => {
    const { bench, runId, sign } = await keyed('tenant_b');
    const cancelled = bench.runtime.cancel(runId, { reason, credential: sign('run_cancelled', { reason }) });
    await expect(cancelled).rejects.toMatchObject({ code: 'permission_denied' });
  });

  test('whoever asked for the run may take that back; for anybody else it takes a key', async () => {
    const { bench, runId, sign } = await keyed();
    const cancelled = await bench.runtime.cancel(runId, { reason, credential: sign('run_cancelled', { reason }) });
    expect(cancelled).toMatchObject({ terminalCode: 'USER_CANCEL' });
    const other = await keyed();
    const back = await other.bench.runtime.tell(other.runId, { type: 'run_cancelled', by: 'agt_worker', reason });
    expect(back).toMatchObject({ terminalCode: 'USER_CANCEL' });
  });

  test('a resumption on a name is refused; a signed one is heard', async () => {
    const { bench, runId, sign } = await keyed();
    const credential = sign('run_resumed', { operator: true });
    // It waits for a decision, which a resumption is not; the signature itself is good.
    await expect(bench.runtime.resumeSession(runId, credential)).rejects.toMatchObject({ code: 'event_illegal' });
    await expect(bench.runtime.resumeSession(runId, operator('ben'))).rejects.toMatchObject({
      code: 'credential_unknown',
    });
  });

  test('a kill switch is thrown by name and lifted with a key', async () => {
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

test('an authenticator says who decides', async () => {
  const authenticator: Authenticator = {
    identify: async (credential, tenantId) =>
      credential.kind === 'operator_token' && credential.token === 'secret'
        ? { name: 'ben', tenantId, roles: [] }
        : null,
  };
  const bench = rig({ ...SHORT, world: { policy: { approvers: { authenticator } } } });
  const { runId, handoverHash } = await bench.invoke();
  const said = { decision: 'terminate', reason } as const;
  const told = bench.runtime.tell(runId, { type: 'escalation_decided', ...said, by: 'ben' });
  await expect(told).rejects.toMatchObject({ code: 'credential_unknown' });
  const credential = { kind: 'operator_token', token: 'secret' } as const;
  const answer = { ...said, packetHash: handoverHash ?? '', credential };
  expect(await bench.runtime.decideEscalation(runId, answer)).toMatchObject({ terminalCode: 'BUDGET_EXHAUSTED' });
});

test('where neither is configured the process vouches for the name, and that is on record', async () => {
  const bench = rig(SHORT);
  const frozen = await bench.invoke();
  const { runId } = frozen;
  await bench.settle(
    bench.runtime.tell(runId, { type: 'budget_extended', by: 'ben', reason, delta, ...shown(frozen) }),
  );
  expect((await bench.events(runId)).find(({ type }) => type === 'budget_extended')).toMatchObject({
    by: 'ben',
    proof: { credential: 'local_operator', tenant_id: 'tenant_a' },
  });
});
