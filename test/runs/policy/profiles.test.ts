/**
 * The five risk profiles in complete runs: free actions, actions that need approval, and conditions that fail closed.
 */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES } from '../../../src/model/policy/risk.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator } from '../rig.ts';
import {
  ANSWERS,
  CHANGES,
  callAfterLookup,
  eventsOf,
  invokeOneCall,
  lookup,
  PARAMS,
  toolForAction,
  underProfile,
  WAITING,
} from './bench.ts';

/** Extra facts that an action needs in order not to fail closed. */
const COMPLETE = { hazards: { blast_radius: 'one service' } };
describe.each(RISK_PROFILE_NAMES)('%s', (profile) => {
  const { free, needs_approval, fails_closed } = RISK_PROFILES[profile];

  test.each(free)('does %s without approval', async (action) => {
    const { bench, outcome } = await invokeOneCall(profile, toolForAction(action, COMPLETE), PARAMS);
    expect(outcome.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
  });

  test.each(needs_approval)('requires approval for %s', async (action) => {
    const { bench, outcome } = await callAfterLookup(profile, toolForAction(action, { ...CHANGES, ...COMPLETE }));
    expect(outcome).toMatchObject(WAITING);
    expect(eventsOf(await bench.events(outcome.runId), 'gate_opened')).toMatchObject([
      { name: 'GATE_BOUNDARY_APPROVAL' },
    ]);
    expect(bench.dispatches.filter(({ tool }) => tool === 'act')).toEqual([]);
  });

  test.each(fails_closed)('fails closed on $condition in any evidence, without a gate', async ({ condition }) => {
    const found = { ...ANSWERS, [condition]: true };
    const bench = underProfile(
      profile,
      {
        look: { ...lookup(profile), produces: ['report'], execute: () => found },
        act: toolForAction(needs_approval[0] ?? '', { ...CHANGES, ...COMPLETE, produces: ['done'] }),
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
    const chained = await callAfterLookup('procurement', order);
    expect(chained.outcome).toMatchObject(WAITING);
    const { approval_chain: _, ...others } = ANSWERS;
    for (const found of [others, ...[[], 'cfo', [' ']].map((approval_chain) => ({ ...others, approval_chain }))]) {
      const { bench, outcome } = await callAfterLookup('procurement', order, PARAMS, found);
      const events = await bench.events(outcome.runId);
      expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
      expect(eventsOf(events, 'gate_opened')).toEqual([]);
      const approval = { packetHash: `sha256:${'0'.repeat(64)}`, credential: operator('cfo'), reason: 'ok' };
      await expect(bench.runtime.approve(`gate_${outcome.runId}_1`, approval)).rejects.toMatchObject({
        code: 'gate_not_found',
      });
      expect(bench.dispatches.filter(({ tool }) => tool === 'act')).toEqual([]);
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
    const own = await callAfterLookup('customer_support', REFUND);
    expect(own.outcome).toMatchObject(WAITING);
    const found = { ...ANSWERS, account_holder: 'somebody_else' };
    const { bench, outcome } = await callAfterLookup('customer_support', REFUND, {}, found);
    const events = await bench.events(outcome.runId);
    expect(outcome.suspended?.code ?? outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(eventsOf(events, 'step_refused')).toMatchObject([
      { layer: 'risk', code: 'condition_not_met', policy: { effect: 'permit', gates: ['GATE_BOUNDARY_APPROVAL'] } },
    ]);
    expect(eventsOf(events, 'gate_opened')).toEqual([]);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
  },
);

test.each([['somebody_else'], [{ name: 'agt_worker' }]])(
  'evidence of an account whose holder is %j denies every further call',
  async (holder) => {
    const account = { produces: ['account'], execute: (): JsonObject => ({ holder }) };
    const bench = underProfile(
      'customer_support',
      {
        account: toolForAction('summarize_account', account),
        draft: toolForAction('draft_reply', { produces: ['done'] }),
      },
      [
        { id: 'a', tool: 'account' },
        { id: 'b', tool: 'draft', depends_on: ['a'], params: { to: { $from: 'a', path: '/holder' } } },
      ],
    );
    const outcome = await bench.invoke();
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['account']);
    expect(eventsOf(await bench.events(outcome.runId), 'step_refused')).toMatchObject([
      { policy: { determining: ['customer_support.identity_mismatch.account_of_another'] } },
    ]);
  },
);

describe.each(RISK_PROFILE_NAMES)('%s and the steps that every planner may add', (profile) => {
  test.each(['respond', 'clarify'] as const)('permits %s', async (speaks) => {
    const steps = [
      { id: 'look', tool: 'look' },
      { id: 'say', tool: speaks, params: { objective: 'Tell it', question: 'Which one?' }, depends_on: ['look'] },
    ];
    const said = { speaks, category: 'read_only_lookup', produces: ['done'] } as const;
    const bench = underProfile(profile, { look: lookup(profile), [speaks]: said }, steps);
    const outcome = await bench.invoke();
    const [verified] = eventsOf(await bench.events(outcome.runId), 'plan_verified');
    expect(verified).toMatchObject({ verdict: 'ok', problems: [] });
    expect(JSON.stringify(verified?.policy)).toContain('default.speak');
  });
});
