/** Proves what the boundary lets a model say, and how it rules on an action: closed first, then asked, then free. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { APPROVAL_MODES } from '../model/approval-mode.ts';
import type { Boundary } from '../model/boundary.ts';
import { deepFreeze } from '../model/freeze.ts';
import { PROPOSAL_KINDS } from '../model/proposal.ts';
import { RISK_CLASSES } from '../model/risk.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES } from '../model/risk-profile.ts';
import { type ActionFacts, admitProposal, classify, ruleOnAction } from './boundary.ts';

const boundary: Boundary = deepFreeze({
  boundary_id: 'support_standard',
  version: 'v1',
  profile: 'customer_support',
  observations: { permission_scopes: ['orders'], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
  state_writes: { task_state: 'proposed', persistent_memory: 'refused' },
  tools: {
    allowed: ['docs.search', 'payments.refund', 'mail.send'],
    needs_approval: ['docs.search'],
    mode_max: 'destructive',
    risk_max: 'high',
    untrusted_arguments: 'refused',
  },
  decision_rights: ['plan', 'clarification_request'],
  resource_budgets: {},
  escalation_paths: ['user'],
});
const refund: ActionFacts = {
  tool: 'payments.refund',
  mode: 'destructive',
  risk: 'high',
  kind: 'refund',
  conditions: [],
  untrusted: false,
};

describe('what a model may propose', () => {
  test('are six kinds', () => {
    expect(PROPOSAL_KINDS.map((kind) => admitProposal(kind))).toEqual([
      { ok: true, kind: 'plan' },
      { ok: true, kind: 'next_step' },
      { ok: true, kind: 'tool_arguments' },
      { ok: true, kind: 'observation_summary' },
      { ok: true, kind: 'clarification_request' },
      { ok: true, kind: 'escalation_recommendation' },
    ]);
  });

  test.each(['execute', 'set_state', 'approve', 'PLAN', '', '__proto__', 'length'])('"%s" is outside', (kind) => {
    expect(admitProposal(kind)).toMatchObject({ ok: false, code: 'proposal_outside_boundary' });
  });

  test('are fewer where the boundary leaves fewer', () => {
    expect(admitProposal('plan', boundary.decision_rights).ok).toBe(true);
    expect(admitProposal('next_step', boundary.decision_rights).ok).toBe(false);
  });
});

describe.each(RISK_PROFILE_NAMES)('the profile %s', (name) => {
  const profile = RISK_PROFILES[name];

  test('sorts every action it knows', () => {
    expect(profile.free.map((kind) => classify(profile, kind, []))).toEqual(profile.free.map(() => 'free'));
    expect(profile.needs_approval.map((kind) => classify(profile, kind, []))).toEqual(
      profile.needs_approval.map(() => 'needs_approval'),
    );
  });

  test('lets no approval outweigh a condition that fails closed', () => {
    for (const condition of profile.fails_closed) {
      for (const kind of [...profile.free, ...profile.needs_approval]) {
        expect(classify(profile, kind, [condition])).toBe('fail_closed');
      }
    }
  });

  test.each([null, 'launch', 'toString', ''])('allows no action called %s', (kind) => {
    expect(classify(profile, kind, [])).toBe('fail_closed');
  });
});

describe('the ruling on an action', () => {
  const rule = (change: Partial<ActionFacts>, within: Boundary = boundary): unknown =>
    ruleOnAction(within, { ...refund, ...change });
  const ruling = (outcome: string, because: string): unknown => ({ outcome, because, boundary_version: 'v1' });

  test('asks, lets pass or refuses, and cites the version', () => {
    expect(rule({})).toEqual(ruling('needs_approval', 'profile'));
    expect(rule({ kind: 'draft_reply' })).toEqual(ruling('free', 'within_bounds'));
    expect(rule({ tool: 'docs.search', kind: 'search_documentation' })).toEqual(ruling('needs_approval', 'tool'));
  });

  test.each<[string, Partial<ActionFacts>, string]>([
    ['a condition of the profile', { conditions: ['identity_mismatch'] }, 'identity_mismatch'],
    ['a tool outside the list', { tool: 'payments.charge' }, 'tool_not_allowed'],
    ['a risk above the bound', { risk: 'critical' }, 'risk_max_exceeded'],
    ['an untrusted argument', { untrusted: true }, 'untrusted_argument'],
    ['an action without a label', { kind: null }, 'action_not_in_profile'],
  ])('refuses %s before anybody is asked', (_, change, because) => {
    expect(rule(change)).toEqual(ruling('fail_closed', because));
  });

  test('refuses a mode above the bound', () => {
    const narrow: Boundary = { ...boundary, tools: { ...boundary.tools, mode_max: 'network' } };
    expect(rule({}, narrow)).toEqual(ruling('fail_closed', 'mode_max_exceeded'));
  });

  test('is made by the boundary it is given, not by a later one', () => {
    const later: Boundary = { ...boundary, version: 'v2', tools: { ...boundary.tools, allowed: ['payments.charge'] } };
    expect(rule({ tool: 'payments.charge' })).toEqual(ruling('fail_closed', 'tool_not_allowed'));
    expect(rule({ tool: 'payments.charge' }, later)).toMatchObject({
      boundary_version: 'v2',
      outcome: 'needs_approval',
    });
  });

  test('without a profile rests on the tool bounds and on reported conditions', () => {
    const plain: Boundary = { ...boundary, profile: null };
    expect(rule({ kind: null }, plain)).toEqual(ruling('free', 'within_bounds'));
    expect(rule({ conditions: ['anything'] }, plain)).toEqual(ruling('fail_closed', 'anything'));
  });

  const action: fc.Arbitrary<ActionFacts> = fc.record({
    tool: fc.constantFrom('docs.search', 'payments.refund', 'payments.charge'),
    mode: fc.constantFrom(...APPROVAL_MODES),
    risk: fc.constantFrom(...RISK_CLASSES),
    kind: fc.constantFrom(null, 'refund', 'draft_reply', 'launch'),
    conditions: fc.subarray(['identity_mismatch', 'payment_change']),
    untrusted: fc.boolean(),
  });
  test.prop([action])('any reported condition fails closed, and every ruling cites its version', (facts) => {
    const { outcome, boundary_version } = ruleOnAction(boundary, deepFreeze(facts));
    expect(boundary_version).toBe('v1');
    if (facts.conditions.length > 0) expect(outcome).toBe('fail_closed');
    if (outcome !== 'fail_closed') expect(boundary.tools.allowed).toContain(facts.tool);
  });
});
