/** Tests standing grants: limited by argument pattern, uses, cost and time, and never for destructive tools. */
import { fc, test as law } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../../src/adapters/memory/memory-keys.ts';
import { newKeyPair, signText } from '../../../src/adapters/node/ed25519.ts';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import type { GrantTerms } from '../../../src/model/gate/grant.ts';
import { signingText } from '../../../src/model/gate/signing-text.ts';
import { fitsPattern } from '../../../src/model/tool/argument-rule.ts';
import { enrolKey } from '../../../src/runtime/gates/keys.ts';
import { countingIds, operator, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';
import { posting as postingTo } from './posting-runs.ts';
import { STORES } from './stores.ts';

const HOUR = 3_600_000;

const TERMS: GrantTerms = {
  grant_id: 'grant_1',
  tenant_id: 'tenant_a',
  tool: 'post',
  arguments: { to: { prefix: 'team_' }, text: { any: true } },
  uses_max: 2,
  microusd_max: 1_000,
  reason: 'status notes',
  expires_at: START_MS + HOUR,
};

const posting = (to: string, changes: RigOptions['tools'] = {}): RigOptions => postingTo(to, 5, changes['post']);

async function permitted(options: RigOptions, terms: Partial<GrantTerms> = {}): Promise<Rig> {
  const bench = rig(options);
  await bench.runtime.grants.give({ ...TERMS, ...terms }, operator('lead_1'));
  return bench;
}

test('a call within the terms runs without a gate, and its use is stored and recorded', async () => {
  const bench = await permitted(posting('team_a'));
  const done = await bench.invoke();
  expect(done).toMatchObject({
    terminalCode: 'SUCCESS',
    record: { approvals: [{ gate: GATE_MODE_APPROVAL, approver: 'lead_1', basis: 'standing_grant' }] },
  });
  expect(await bench.runtime.grants.list({ tenant: 'tenant_a' })).toMatchObject([
    { uses: 1, microusd: 400, revoked: null },
  ]);
  expect(await bench.journal.standingUses('grant_1')).toMatchObject([
    { session_id: done.runId, step_id: 's1', microusd: 400 },
  ]);
  await bench.runtime.records.replay(done.runId);
});

test('a retried call counts as one use', async () => {
  const idempotency = { kind: 'key', retention_ms: HOUR } as const;
  let sent = 0;
  const execute = (): { ok: boolean } => {
    sent += 1;
    if (sent === 1) throw new Error('not now');
    return { ok: true };
  };
  const bench = await permitted(posting('team_a', { post: { idempotency, execute } }), { uses_max: 5 });
  const { runId, terminalCode } = await bench.invoke();
  expect([terminalCode, bench.dispatches.length]).toEqual(['SUCCESS', 2]);
  expect(await bench.journal.standingUses('grant_1')).toMatchObject([{ session_id: runId, step_id: 's1' }]);
});

describe('still waits for a person', () => {
  test.each<[string, RigOptions, Partial<GrantTerms>]>([
    ['for an argument outside the pattern', posting('ceo'), {}],
    ['for an argument that the pattern does not name', posting('team_a'), { arguments: { to: { prefix: 'team_' } } }],
    ['for another tenant', posting('team_a'), { tenant_id: 'tenant_b' }],
    ['when the cost exceeds the grant', posting('team_a'), { microusd_max: 399 }],
    [
      'at a gate other than the mode gate',
      posting('team_a', { post: { gates: [GATE_MODE_APPROVAL, 'GATE_PRESS'] } }),
      {},
    ],
  ])('%s', async (_, options, terms) => {
    const bench = await permitted(options, terms);
    const waiting = await bench.invoke();
    expect(waiting.status).toBe('awaiting_gate');
    expect(bench.dispatches).toEqual([]);
  });

  test('when the grant is used up, expired or revoked', async () => {
    const bench = await permitted(posting('team_a'));
    for (const _ of [1, 2]) expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate' });
    const late = await permitted(posting('team_a'));
    late.clock.advanceTo(START_MS + HOUR);
    expect(await late.invoke()).toMatchObject({ status: 'awaiting_gate' });
    const revoked = await permitted(posting('team_a'));
    await revoked.runtime.grants.revoke('grant_1', 'no more', operator('lead_2'));
    expect(await revoked.runtime.grants.list()).toMatchObject([{ revoked: { by: 'lead_2', reason: 'no more' } }]);
    expect(await revoked.invoke()).toMatchObject({ status: 'awaiting_gate' });
  });
});

test.each(['destructive', 'local_write', 'read_only'] as const)('rejects a grant for a %s tool', async (mode) => {
  const bench = rig(posting('team_a', { post: { approval_mode: mode, side_effect: mode !== 'read_only' } }));
  await expect(bench.runtime.grants.give(TERMS, operator('lead_1'))).rejects.toMatchObject({
    code: 'grant_not_allowed',
  });
});

test.each(STORES)(
  '%s: of two processes that race for the last use, one runs and the other waits at the gate',
  async (_, open) => {
    const journalOf = open();
    const ids = countingIds();
    const benches = [1, 2].map(() => rig({ ...posting('team_a'), world: { journal: journalOf(), ids } }));
    await benches[0]?.runtime.grants.give({ ...TERMS, uses_max: 1 }, operator('lead_1'));
    const outcomes = await Promise.all(benches.map((bench) => bench.invoke()));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['awaiting_gate', 'completed']);
    expect(benches.flatMap(({ dispatches }) => dispatches)).toHaveLength(1);
    expect(await benches[1]?.runtime.grants.list()).toMatchObject([{ uses: 1 }]);
    for (const bench of benches) await bench.runtime.close();
  },
);

law.prop([fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue()])(
  'a pattern never fits an argument that it does not name',
  (args, name, value) => {
    const pattern = Object.fromEntries(Object.keys(args).map((key) => [key, { any: true } as const]));
    fc.pre(!Object.hasOwn(pattern, name) && name !== '__proto__');
    expect(fitsPattern(pattern, args as Parameters<typeof fitsPattern>[1])).toBe(true);
    expect(fitsPattern(pattern, { ...args, [name]: value } as Parameters<typeof fitsPattern>[1])).toBe(false);
  },
);

test('a grant whose key was revoked later opens no gate', async () => {
  const keys = memoryKeys();
  const pair = newKeyPair();
  await enrolKey(keys, {
    key_id: 'key_lead',
    approver: 'lead_1',
    tenant_id: 'tenant_a',
    roles: [],
    public_key: pair.publicKey,
    enrolled_at: START_MS,
    enrolled_by: 'security_desk',
    expires_at: null,
  });
  const policy = { goals: { check: () => ({ cleared: true, rule: null }) }, approvers: { keys } };
  const bench = rig({ ...posting('team_a'), world: { policy } });
  const signed = { key_id: 'key_lead', signed_at: START_MS };
  const signature = signText(pair.privateKey, signingText.grant({ ...TERMS, ...signed }));
  await bench.runtime.grants.give(TERMS, { kind: 'signing_key', keyId: 'key_lead', signedAt: START_MS, signature });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  await keys.revoke('key_lead', { at: START_MS, by: 'security_desk', reason: 'stolen' });
  expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate' });
  expect(bench.dispatches).toHaveLength(1);
});
