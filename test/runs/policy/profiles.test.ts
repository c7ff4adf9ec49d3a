/** The five risk profiles, in whole runs: what runs alone, what waits for a person, and what nobody is even asked about. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfileName } from '../../../src/model/risk-profile.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator } from '../rig.ts';
import { CHANGES, doing, eventsOf, oneCall, underProfile, WAITING } from './bench.ts';

/** What an action of each profile has to say beside its name in order not to fail closed. */
const COMPLETE = { hazards: { blast_radius: 'one service' } };
const PARAMS = { approval_chain: ['cfo'], amount: 80, account_holder: 'agt_worker' };

/** What is looked up before money is spent. */
const BUDGET = doing('compare_vendors', { produces: ['budget'], execute: () => ({ limit: 100 }) });

/** One call under a profile, after the budget was looked up where the profile has one. */
function knowingBudget(
  profile: RiskProfileName,
  tool: ReturnType<typeof doing>,
  params: JsonObject,
  found: ReturnType<typeof doing> = BUDGET,
): ReturnType<typeof oneCall> {
  if (profile !== 'procurement') return oneCall(profile, tool, params);
  return knowing(profile, { budget: found, act: { produces: ['done'], ...tool } }, [
    { id: 'look', tool: 'budget' },
    { id: 'a', tool: 'act', params, depends_on: ['look'] },
  ]);
}

async function knowing(...[profile, tools, steps]: Parameters<typeof underProfile>): ReturnType<typeof oneCall> {
  const bench = underProfile(profile, tools, steps);
  return { bench, outcome: await bench.invoke() };
}

describe.each(RISK_PROFILE_NAMES)('%s', (profile) => {
  const { free, needs_approval, fails_closed } = RISK_PROFILES[profile];

  test.each(free)('does %s alone', async (action) => {
    const { bench, outcome } = await oneCall(profile, doing(action, COMPLETE), PARAMS);
    expect(outcome.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    expect((await bench.runtime.replay(outcome.runId)).turns).not.toEqual([]);
  });

  test.each(needs_approval)('waits for a person before %s', async (action) => {
    const { bench, outcome } = await knowingBudget(profile, doing(action, { ...CHANGES, ...COMPLETE }), PARAMS);
    expect(outcome).toMatchObject(WAITING);
    expect(eventsOf(await bench.events(outcome.runId), 'gate_opened')).toMatchObject([
      { name: 'GATE_BOUNDARY_APPROVAL' },
    ]);
    expect(bench.dispatches.filter(({ tool }) => tool === 'act')).toEqual([]);
  });

  test.each(fails_closed)('stops on %s, and asks nobody', async (condition) => {
    const [look = '', ask = ''] = [free[0], needs_approval[0]];
    const bench = underProfile(
      profile,
      {
        look: doing(look, { produces: ['report', 'budget'], execute: () => ({ [condition]: true, limit: 100 }) }),
        act: doing(ask, { ...CHANGES, ...COMPLETE, produces: ['done'] }),
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
    expect((await bench.runtime.replay(outcome.runId)).turns).not.toEqual([]);
  });

  test('does nothing that it has no word for', async () => {
    const { bench, outcome } = await oneCall(profile, { hazards: { action: 'anything_else' } }, PARAMS);
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(bench.dispatches).toEqual([]);
  });
});

verifies(
  'boundary:profile-procurement:prepare-not-commit',
  'a comparison runs, an order with its chain waits, and one without is refused whoever approves',
  async () => {
    const compared = await oneCall('procurement', doing('compare_vendors'));
    expect(compared.outcome.terminalCode).toBe('SUCCESS');
    const order = doing('purchase_order', CHANGES);
    const chained = await knowingBudget('procurement', order, { approval_chain: ['cfo', 'lead'], amount: 80 });
    expect(chained.outcome).toMatchObject(WAITING);
    for (const chain of [{}, { approval_chain: [] }, { approval_chain: 'cfo' }, { approval_chain: [' '] }]) {
      const { bench, outcome } = await knowingBudget('procurement', order, { ...chain, amount: 80 });
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
  'a log query runs, a restart with its blast radius waits, and one without stops with no approval on offer',
  async () => {
    expect((await oneCall('incident_sre', doing('query_logs'))).outcome.terminalCode).toBe('SUCCESS');
    const known = await oneCall('incident_sre', doing('restart', { ...CHANGES, hazards: { blast_radius: 'one pod' } }));
    expect(known.outcome).toMatchObject(WAITING);
    const { bench, outcome } = await oneCall('incident_sre', doing('restart', CHANGES));
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(eventsOf(await bench.events(outcome.runId), 'gate_opened')).toEqual([]);
    expect(bench.dispatches).toEqual([]);
  },
);

const REFUND = doing('refund', CHANGES);

verifies(
  'boundary:profile-support:draft-only-actions',
  'a draft runs, sending it waits, and the account of somebody else stops everything before the first call',
  async () => {
    expect((await oneCall('customer_support', doing('draft_reply'))).outcome.terminalCode).toBe('SUCCESS');
    const sending = await oneCall('customer_support', doing('send_communication', CHANGES));
    expect(sending.outcome).toMatchObject(WAITING);
    const { bench, outcome } = await oneCall('customer_support', doing('draft_reply'), {
      account_holder: 'somebody_else',
    });
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(bench.dispatches).toEqual([]);
  },
);

verifies(
  'boundary:profile:fail-closed-beats-approval',
  'a refund to the holder waits for a person; to somebody else nobody is asked',
  async () => {
    const own = await oneCall('customer_support', REFUND, { account_holder: 'agt_worker' });
    expect(own.outcome).toMatchObject(WAITING);
    const { bench, outcome } = await oneCall('customer_support', REFUND, { account_holder: 'somebody_else' });
    const events = await bench.events(outcome.runId);
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(eventsOf(events, 'plan_verified')).toMatchObject([
      { verdict: 'reject', policy: [{ step_id: 'a', decision: { effect: 'forbid', gates: [] } }] },
    ]);
    expect(eventsOf(events, 'gate_opened')).toEqual([]);
    expect(bench.dispatches).toEqual([]);
  },
);

test('an account that only turns out to be of somebody else stops the run where that is found', async () => {
  const bench = underProfile(
    'customer_support',
    {
      account: doing('summarize_account', { produces: ['account'], execute: () => ({ holder: 'somebody_else' }) }),
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
  ['not there', {}],
])('a limit that turns out to be %s stops the order, and nobody is asked', async (_what, found) => {
  const looking = doing('compare_vendors', { produces: ['budget'], execute: () => found });
  const { bench, outcome } = await knowingBudget('procurement', doing('purchase_order', CHANGES), PARAMS, looking);
  const events = await bench.events(outcome.runId);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['budget']);
  expect(eventsOf(events, 'plan_verified')).toMatchObject([{ verdict: 'ok' }]);
  const [refused] = eventsOf(events, 'step_refused');
  expect(refused?.policy?.determining).toContain('procurement.budget_breach.limit_unknown');
  expect(eventsOf(events, 'gate_opened')).toEqual([]);
  expect((await bench.runtime.replay(outcome.runId)).turns).not.toEqual([]);
});

test('an order before which nothing looks up a budget is not even planned', async () => {
  const { bench, outcome } = await oneCall('procurement', doing('purchase_order', CHANGES), PARAMS);
  expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
  expect(bench.dispatches).toEqual([]);
});

test('a holder that is no text is nobody: the refund stops where that is found', async () => {
  const account = { produces: ['account'], execute: (): JsonObject => ({ holder: { name: 'agt_worker' } }) };
  const { bench, outcome } = await knowing(
    'customer_support',
    { account: doing('summarize_account', account), refund: { ...REFUND, produces: ['done'] } },
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
