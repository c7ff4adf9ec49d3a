/** Tests that a standing grant opens a gate only if its giver could decide that gate. */
import { describe, expect, test } from 'vitest';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import type { GrantTerms, StandingGrant } from '../../../src/model/gate/grant.ts';
import type { PolicyJudge } from '../../../src/model/policy/policy-decision.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { operator, planOf, type RigOptions, type RigTool, rig, START_MS } from '../rig.ts';

const PARAMS = { amount: 1_000_000, cur: 'EUR', vendor: 'acme', chain: 'c', terms: 't', left: 1_000_000_000 };

const TERMS: GrantTerms = {
  grant_id: 'grant_1',
  tenant_id: 'tenant_a',
  tool: 'pay',
  arguments: Object.fromEntries(Object.keys(PARAMS).map((name) => [name, { any: true } as const])),
  uses_max: 5,
  microusd_max: 100,
  reason: 'small things',
  expires_at: START_MS + 3_600_000,
};

const paying = (changes: RigTool = {}, policy: NonNullable<RigOptions['world']>['policy'] = {}): RigOptions => ({
  tools: {
    pay: {
      approval_mode: 'network',
      side_effect: true,
      gates: [GATE_MODE_APPROVAL],
      produces: ['done'],
      cost: { ...NO_COST, microusd: 1 },
      ...changes,
    },
  },
  plans: [planOf([{ id: 's1', tool: 'pay', requires: [GATE_MODE_APPROVAL], params: PARAMS }])],
  world: { policy },
});

const forbidDecisions: PolicyJudge = {
  version: 'nobody@1',
  decide: ({ action }) => {
    const effect = action === 'decide_gate' ? 'forbid' : 'permit';
    return { effect, determining: ['nobody_decides'], reasons: [], gates: [], errors: [] };
  },
};

/** A grant in a store that other programs write to. */
const stored = (approver: string): StandingGrant => ({
  kind: 'standing',
  ...TERMS,
  approver,
  granted_at: START_MS,
  proof: { credential: 'local_operator', tenant_id: 'tenant_a', roles: [] },
});

describe('giving a grant', () => {
  test.each<[string, RigOptions, string]>([
    ['without the role', paying({}, { gates: { [GATE_MODE_APPROVAL]: { roles: ['finance'] } } }), 'finance'],
    ['by one person at a quorum of two', paying({}, { gates: { [GATE_MODE_APPROVAL]: { quorum: 2 } } }), '2 people'],
    ['against the policies', paying({}, { calls: forbidDecisions }), 'nobody_decides'],
  ])('%s is refused', async (_, options, why) => {
    const bench = rig(options);
    const granting = bench.runtime.grants.give(TERMS, operator('intern'));
    await expect(granting).rejects.toMatchObject({ code: 'permission_denied', message: expect.stringContaining(why) });
    expect(await bench.runtime.grants.list()).toEqual([]);
  });

  test('with the role is accepted', async () => {
    const bench = rig(paying({}, { gates: { [GATE_MODE_APPROVAL]: { roles: ['finance'] } } }));
    await bench.runtime.grants.give(TERMS, operator('lead', ['finance']));
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  });
});

describe('using a grant', () => {
  test.each<[string, RigOptions, string]>([
    ['by the requester', paying(), 'agt_worker'],
    ['by the requester under another spelling', paying(), 'AGT_Worker'],
    ['by a person without the role', paying({}, { gates: { [GATE_MODE_APPROVAL]: { roles: ['finance'] } } }), 'intern'],
    ['by one person at a quorum of two', paying({}, { gates: { [GATE_MODE_APPROVAL]: { quorum: 2 } } }), 'intern'],
    ['by a person whom the policies refuse', paying({}, { calls: forbidDecisions }), 'intern'],
  ])('a grant %s opens no gate', async (_, options, approver) => {
    const bench = rig(options);
    await bench.journal.giveGrant(stored(approver));
    expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate' });
    expect(bench.dispatches).toEqual([]);
  });
});

test('a grant opens the gate of the mode, not the gate of the tool category', async () => {
  const rules = {
    operation: 'gated',
    amount: { at: '/amount', max: 1_000_000 },
    currency: { at: '/cur', allow: ['EUR'] },
    vendor: { at: '/vendor', allow: ['acme'] },
    chain: { at: '/chain', allow: ['c'] },
    terms: { at: '/terms', allow: ['t'] },
    budget: '/left',
  };
  const bench = rig(paying({ category: 'payment', rules }));
  await bench.runtime.grants.give(TERMS, operator('lead'));
  expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_PAYMENT' }] });
  expect(bench.dispatches).toEqual([]);
});

test('a grant for a network tool does not cover a step that its plan marks destructive', async () => {
  const { plans: _, ...options } = paying();
  const step = { id: 's1', tool: 'pay', requires: [GATE_MODE_APPROVAL], params: PARAMS } as const;
  const bench = rig({ ...options, plans: [planOf([{ ...step, approval_mode: 'destructive' }]), planOf([step])] });
  await bench.runtime.grants.give(TERMS, operator('lead'));
  const stricter = await bench.invoke();
  expect(stricter).toMatchObject({ status: 'awaiting_gate', pending: [{ name: GATE_MODE_APPROVAL }] });
  expect(bench.dispatches).toEqual([]);
  expect(await bench.runtime.grants.list()).toMatchObject([{ uses: 0 }]);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('records refused attempts to give or revoke a grant, with who and why', async () => {
  const bench = rig(paying({}, { gates: { [GATE_MODE_APPROVAL]: { roles: ['finance'] } } }));
  await expect(bench.runtime.grants.give(TERMS, operator('intern'))).rejects.toMatchObject({
    code: 'permission_denied',
  });
  await bench.runtime.grants.give(TERMS, operator('lead', ['finance']));
  const forged = { kind: 'signing_key', keyId: 'k1', signedAt: START_MS, signature: 'x' } as const;
  const revoked = bench.runtime.grants.revoke('grant_1', 'mine now', forged);
  await expect(revoked).rejects.toMatchObject({ code: 'credential_unknown' });
  const about = { tenant_id: 'tenant_a', grant_id: 'grant_1', at: START_MS };
  expect(await bench.runtime.grants.refused()).toMatchObject([
    {
      ...about,
      act: 'give',
      claimed_by: 'intern',
      code: 'permission_denied',
      message: expect.stringContaining('finance'),
    },
    { ...about, act: 'revoke', code: 'credential_unknown' },
  ]);
  expect(await bench.runtime.grants.list()).toMatchObject([{ revoked: null }]);
  expect(await bench.runtime.grants.refused({ tenant: 'tenant_b' })).toEqual([]);
});
