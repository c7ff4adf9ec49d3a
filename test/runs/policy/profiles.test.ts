/**
 * The five risk profiles in complete runs: free actions, actions that need approval, and conditions that fail closed.
 */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfileName } from '../../../src/model/policy/risk.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator } from '../rig.ts';
import { CHANGES, eventsOf, invokeOneCall, toolForAction, underProfile, WAITING } from './bench.ts';

/** Extra facts that an action needs in order not to fail closed. */
const COMPLETE = { hazards: { blast_radius: 'one service' } };
const PARAMS = { approval_chain: ['cfo'], amount: 80, account_holder: 'agt_worker' };

/** The budget lookup before a purchase. */
const BUDGET = toolForAction('compare_vendors', { produces: ['budget'], execute: () => ({ limit: 100 }) });

/** One call under a profile, after a budget lookup if the profile requires one. */
function callWithBudget(
  profile: RiskProfileName,
  tool: ReturnType<typeof toolForAction>,
  params: JsonObject,
  found: ReturnType<typeof toolForAction> = BUDGET,
): ReturnType<typeof invokeOneCall> {
  if (profile !== 'procurement') return invokeOneCall(profile, tool, params);
  return invokeUnder(profile, { budget: found, act: { produces: ['done'], ...tool } }, [
    { id: 'look', tool: 'budget' },
    { id: 'a', tool: 'act', params, depends_on: ['look'] },
  ]);
}

async function invokeUnder(
  ...[profile, tools, steps]: Parameters<typeof underProfile>
): ReturnType<typeof invokeOneCall> {
  const bench = underProfile(profile, tools, steps);
  return { bench, outcome: await bench.invoke() };
}

describe.each(RISK_PROFILE_NAMES)('%s', (profile) => {
  const { free, needs_approval, fails_closed } = RISK_PROFILES[profile];

  test.each(free)('does %s without approval', async (action) => {
    const { bench, outcome } = await invokeOneCall(profile, toolForAction(action, COMPLETE), PARAMS);
    expect(outcome.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
  });

  test.each(needs_approval)('requires approval for %s', async (action) => {
    const { bench, outcome } = await callWithBudget(
      profile,
      toolForAction(action, { ...CHANGES, ...COMPLETE }),
      PARAMS,
    );
    expect(outcome).toMatchObject(WAITING);
    expect(eventsOf(await bench.events(outcome.runId), 'gate_opened')).toMatchObject([
      { name: 'GATE_BOUNDARY_APPROVAL' },
    ]);
    expect(bench.dispatches.filter(({ tool }) => tool === 'act')).toEqual([]);
  });

  test.each(fails_closed)('fails closed on %s, without a gate', async (condition) => {
    const [look = '', ask = ''] = [free[0], needs_approval[0]];
    const bench = underProfile(
      profile,
      {
        look: toolForAction(look, {
          produces: ['report', 'budget'],
          execute: () => ({ [condition]: true, limit: 100 }),
        }),
        act: toolForAction(ask, { ...CHANGES, ...COMPLETE, produces: ['done'] }),
      },
      [
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'act', params: PARAMS, depends_on: ['a'] },
      ],
    );
    const outcome = await bench.invoke();
    const events = await bench.events(outcome.runId);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
    expect(eventsOf(events, 'step_refused')).toMatchObject([
      {
        layer: 'permission',
        code: 'permission_denied',
        policy: { effect: 'forbid', determining: [`${profile}.fails_closed`] },
      },
    ]);
    expect(eventsOf(events, 'gate_opened')).toEqual([]);
    expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
  });

  test('denies unknown actions', async () => {
    const { bench, outcome } = await invokeOneCall(profile, { hazards: { action: 'anything_else' } }, PARAMS);
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(bench.dispatches).toEqual([]);
  });
});

verifies(
  'boundary:profile-procurement:prepare-not-commit',
  'runs a comparison, gates an order with an approval chain, and rejects one without',
  async () => {
    const compared = await invokeOneCall('procurement', toolForAction('compare_vendors'));
    expect(compared.outcome.terminalCode).toBe('SUCCESS');
    const order = toolForAction('purchase_order', CHANGES);
    const chained = await callWithBudget('procurement', order, { approval_chain: ['cfo', 'lead'], amount: 80 });
    expect(chained.outcome).toMatchObject(WAITING);
    for (const chain of [{}, { approval_chain: [] }, { approval_chain: 'cfo' }, { approval_chain: [' '] }]) {
      const { bench, outcome } = await callWithBudget('procurement', order, { ...chain, amount: 80 });
      const events = await bench.events(outcome.runId);
      expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
      expect(eventsOf(events, 'gate_opened')).toEqual([]);
      const approval = { packetHash: `sha256:${'0'.repeat(64)}`, credential: operator('cfo'), reason: 'ok' };
      await expect(bench.runtime.approve(`gate_${outcome.runId}_1`, approval)).rejects.toMatchObject({
        code: 'gate_not_found',
      });
      expect(bench.dispatches).toEqual([]);
    }
  },
);

verifies(
  'boundary:profile-sre:diagnose-not-mutate',
  'runs a log query, gates a restart with a blast radius, and denies one without, with no gate',
  async () => {
    expect((await invokeOneCall('incident_sre', toolForAction('query_logs'))).outcome.terminalCode).toBe('SUCCESS');
    const known = await invokeOneCall(
      'incident_sre',
      toolForAction('restart', { ...CHANGES, hazards: { blast_radius: 'one pod' } }),
    );
    expect(known.outcome).toMatchObject(WAITING);
    const { bench, outcome } = await invokeOneCall('incident_sre', toolForAction('restart', CHANGES));
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(eventsOf(await bench.events(outcome.runId), 'gate_opened')).toEqual([]);
    expect(bench.dispatches).toEqual([]);
  },
);

const REFUND = toolForAction('refund', CHANGES);

verifies(
  'boundary:profile-support:draft-only-actions',
  "runs a draft, gates sending it, and denies another holder's account before the first call",
  async () => {
    expect((await invokeOneCall('customer_support', toolForAction('draft_reply'))).outcome.terminalCode).toBe(
      'SUCCESS',
    );
    const sending = await invokeOneCall('customer_support', toolForAction('send_communication', CHANGES));
    expect(sending.outcome).toMatchObject(WAITING);
    const { bench, outcome } = await invokeOneCall('customer_support', toolForAction('draft_reply'), {
      account_holder: 'somebody_else',
    });
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(bench.dispatches).toEqual([]);
  },
);

verifies(
  'boundary:profile:fail-closed-beats-approval',
  'gates a refund to the holder, and denies one to another holder without a gate',
  async () => {
    const own = await invokeOneCall('customer_support', REFUND, { account_holder: 'agt_worker' });
    expect(own.outcome).toMatchObject(WAITING);
    const { bench, outcome } = await invokeOneCall('customer_support', REFUND, { account_holder: 'somebody_else' });
    const events = await bench.events(outcome.runId);
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(eventsOf(events, 'plan_verified')).toMatchObject([
      { verdict: 'reject', policy: [{ step_id: 'a', decision: { effect: 'forbid', gates: [] } }] },
    ]);
    expect(eventsOf(events, 'gate_opened')).toEqual([]);
    expect(bench.dispatches).toEqual([]);
  },
);

test('denies a refund once a lookup shows another account holder', async () => {
  const bench = underProfile(
    'customer_support',
    {
      account: toolForAction('summarize_account', {
        produces: ['account'],
        execute: () => ({ holder: 'somebody_else' }),
      }),
      refund: { ...REFUND, produces: ['done'] },
    },
    [
      { id: 'a', tool: 'account' },
      { id: 'b', tool: 'refund', depends_on: ['a'], params: { to: { $from: 'a', path: '/holder' } } },
    ],
  );
  const outcome = await bench.invoke();
  const events = await bench.events(outcome.runId);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['account']);
  expect(eventsOf(events, 'step_refused')).toMatchObject([
    { policy: { determining: ['customer_support.identity_mismatch.account_of_another'] } },
  ]);
  expect(eventsOf(events, 'gate_opened')).toEqual([]);
});

test.each([
  ['unreadable', { limit: 100.12345 }],
  ['text', { limit: '100' }],
  ['an object', { limit: { eur: 100 } }],
  ['missing', {}],
])('a limit that is %s stops the order without a gate', async (_what, found) => {
  const looking = toolForAction('compare_vendors', { produces: ['budget'], execute: () => found });
  const { bench, outcome } = await callWithBudget(
    'procurement',
    toolForAction('purchase_order', CHANGES),
    PARAMS,
    looking,
  );
  const events = await bench.events(outcome.runId);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['budget']);
  expect(eventsOf(events, 'plan_verified')).toMatchObject([{ verdict: 'ok' }]);
  const [refused] = eventsOf(events, 'step_refused');
  expect(refused?.policy?.determining).toContain('procurement.budget_breach.limit_unknown');
  expect(eventsOf(events, 'gate_opened')).toEqual([]);
  expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
});

test('denies an order without a budget lookup at planning', async () => {
  const { bench, outcome } = await invokeOneCall('procurement', toolForAction('purchase_order', CHANGES), PARAMS);
  expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
  expect(bench.dispatches).toEqual([]);
});

test('denies a refund if the account holder is not a string', async () => {
  const account = { produces: ['account'], execute: (): JsonObject => ({ holder: { name: 'agt_worker' } }) };
  const { bench, outcome } = await invokeUnder(
    'customer_support',
    { account: toolForAction('summarize_account', account), refund: { ...REFUND, produces: ['done'] } },
    [
      { id: 'a', tool: 'account' },
      { id: 'b', tool: 'refund', depends_on: ['a'] },
    ],
  );
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['account']);
  expect(eventsOf(await bench.events(outcome.runId), 'step_refused')).toMatchObject([
    { policy: { determining: ['customer_support.identity_mismatch.account_of_another'] } },
  ]);
});
