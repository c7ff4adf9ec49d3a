import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../test/documents/examples.ts';
import { parse } from '../json/parse.ts';
import { PROPOSAL_KINDS, Proposal } from '../plan/proposal.ts';
import { parseManifest } from '../run/manifest.ts';
import { STATE_CATEGORIES, STATE_STORES } from '../run/state-store.ts';
import { BOUNDARY_DIMENSIONS, Boundary, conditionsOf } from './boundary.ts';
import { BoundaryCondition } from './condition.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES } from './risk.ts';

test('requires all six dimensions of a boundary', () => {
  expect(BOUNDARY_DIMENSIONS).toHaveLength(6);
  for (const dimension of BOUNDARY_DIMENSIONS) {
    const { [dimension]: _, ...rest } = readDocument('boundary');
    expect(() => parse(Boundary, rest, 'manifest_invalid')).toThrow(expect.objectContaining({ path: `/${dimension}` }));
  }
});

test.each([
  ['a right that no model has', { decision_rights: ['plan', 'execute'] }, '/decision_rights/1'],
  ['nobody to hand over to', { escalation_paths: [] }, '/escalation_paths'],
  ['a negative cap', { resource_budgets: { tool_calls_max: -1 } }, '/resource_budgets/tool_calls_max'],
])('rejects a boundary with %s', (_, change, path) => {
  expect(() => parse(Boundary, { ...readDocument('boundary'), ...change }, 'manifest_invalid')).toThrow(
    expect.objectContaining({ path }),
  );
});

describe('the five risk profiles', () => {
  test.each(RISK_PROFILE_NAMES)('%s lists each action only once', (name) => {
    const { free, needs_approval } = RISK_PROFILES[name];
    const fails_closed = RISK_PROFILES[name].fails_closed.map(({ condition }) => condition);
    const all = [...free, ...needs_approval, ...fails_closed];
    expect(new Set(all).size).toBe(all.length);
    for (const list of [free, needs_approval, fails_closed]) expect(list.length).toBeGreaterThanOrEqual(3);
    for (const slug of all) expect(slug).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  test('have exactly the declared names', () => {
    expect(Object.keys(RISK_PROFILES)).toEqual([...RISK_PROFILE_NAMES]);
    expect(RISK_PROFILES.customer_support.needs_approval).toContain('refund');
  });
});

describe('the conditions of a boundary', () => {
  const boundary = parse(Boundary, readDocument('boundary'), 'manifest_invalid');
  const OWN: BoundaryCondition = {
    condition: 'night_shift',
    meaning: 'nobody is at work',
    governs: ['refund'],
    proof: 'false',
    field: 'night_shift',
  };

  test.each(RISK_PROFILE_NAMES)('%s govern only actions of the profile, and are valid', (profile) => {
    const { free, needs_approval, fails_closed } = RISK_PROFILES[profile];
    for (const one of fails_closed) {
      expect(parse(BoundaryCondition, one, 'manifest_invalid')).toEqual(one);
      for (const action of one.governs) expect([...free, ...needs_approval]).toContain(action);
    }
  });

  test('are those of the profile and its own, each once', () => {
    const tools = { ...boundary.tools, conditions: [OWN, ...RISK_PROFILES.coding.fails_closed.slice(0, 1)] };
    expect(conditionsOf({ ...boundary, profile: 'coding', tools })).toEqual([
      ...RISK_PROFILES.coding.fails_closed,
      OWN,
    ]);
    expect(conditionsOf({ ...boundary, profile: null, tools: { ...boundary.tools, conditions: [OWN] } })).toEqual([
      OWN,
    ]);
    expect(conditionsOf({ ...boundary, profile: null })).toEqual([]);
  });

  test.each([
    ['an answer that has no name', { proof: 'true', field: undefined }, /field: is missing/],
    ['a name for a proof without an answer', { proof: 'gate' }, /field: is the name of the answer/],
  ])('reject %s', (_, change, message) => {
    const { field, ...rest } = { ...OWN, ...change };
    const written = field === undefined ? rest : { ...rest, field };
    expect(() => parse(BoundaryCondition, written, 'manifest_invalid')).toThrow(message);
  });
});

describe('a model proposal', () => {
  const proposals: readonly unknown[] = [
    { kind: 'plan', plan: readDocument('refund-plan') },
    { kind: 'next_step', step_id: 's2' },
    { kind: 'tool_arguments', step_id: 's1', args: { order_id: 'ord_881' } },
    { kind: 'observation_summary', observations: ['ev_order_881'], summary: 'The order is two weeks old.' },
    { kind: 'clarification_request', question: 'Which order?', fields: ['order_id'] },
    { kind: 'escalation_recommendation', reason: 'The policy does not cover this.', refs: [] },
  ];

  test('parses for each of the six kinds', () => {
    expect(proposals.map((value) => parse(Proposal, value, 'proposal_outside_boundary').kind)).toEqual([
      ...PROPOSAL_KINDS,
    ]);
  });

  test.each([
    { kind: 'execute', tool: 'adp_payments.issue_refund' },
    { kind: 'set_state', state: {} },
    { kind: 'next_step', step_id: 's2', approved: true },
    { kind: 'toString' },
    { plan: {} },
    'go on',
  ])('is rejected if it is %j', (value) => {
    expect(() => parse(Proposal, value, 'proposal_outside_boundary')).toThrow(
      expect.objectContaining({ code: 'proposal_outside_boundary' }),
    );
  });
});

describe('a manifest', () => {
  test('is rejected if its boundary version differs from its boundary', () => {
    const manifest = parseManifest(readDocument('run-manifest'));
    expect(manifest.autonomy_boundary_version).toBe(manifest.autonomy_boundary.version);
    expect(() => parseManifest({ ...readDocument('run-manifest'), autonomy_boundary_version: 'boundary@4' })).toThrow(
      expect.objectContaining({ code: 'manifest_invalid', path: '/autonomy_boundary_version' }),
    );
  });

  test('without a boundary is rejected for that reason, even if other fields are wrong', () => {
    for (const value of [{}, { tier: 99 }]) {
      expect(() => parseManifest(value)).toThrow(expect.objectContaining({ code: 'boundary_missing' }));
    }
  });

  test.each([
    [
      'a missing role',
      { model_versions: { planner: 'large-2', executor: 'none', verifier: 'none' } },
      '/model_versions/router',
    ],
    ['a tier that is not on the ladder', { tier: 8 }, '/tier'],
    ['a pack without a version', { pack_pin: 'ctxpack.support' }, '/pack_pin'],
    ['a graph without a hash', { workflow_graph_version: 'latest' }, '/workflow_graph_version'],
    ['an endless budget', { budget_caps: { tool_calls_max: 2 ** 60 } }, '/budget_caps/input_tokens_max'],
    ['nothing at all', null, ''],
  ])('with %s is rejected', (_, change, path) => {
    const value = change === null ? null : { ...readDocument('run-manifest'), ...change };
    expect(() => parseManifest(value)).toThrow(expect.objectContaining({ code: 'manifest_invalid', path }));
  });
});

describe('the seven state stores', () => {
  test('each declare tenure, medium and update rule', () => {
    expect(Object.keys(STATE_STORES)).toEqual([...STATE_CATEGORIES]);
    expect(STATE_CATEGORIES).toHaveLength(7);
    for (const { tenure, medium, update_rule } of Object.values(STATE_STORES)) {
      for (const text of [tenure, medium, update_rule]) expect(text.length).toBeGreaterThan(0);
    }
  });

  test.each([
    ['scratchpad', 'rw free', 'rw discard', '--'],
    ['task_state', 'rw propose', 'rw version', '--'],
    ['evidence', 'r-', 'rw append', '--'],
    ['observations', 'r-', 'rw append', '--'],
    ['persistent_memory', 'r-', 'rw gate', '--'],
    ['execution_trace', '--', 'rw append', 'r-'],
    ['audit_record', '--', 'rw append', 'r-'],
  ] as const)('%s: model %s, system %s, auditor %s', (category, ...expected) => {
    const { access } = STATE_STORES[category];
    const shown = [access.model, access.system, access.auditor].map(({ read, write }) =>
      write === 'none' ? `${read ? 'r' : '-'}-` : `${read ? 'r' : '-'}w ${write}`,
    );
    expect(shown).toEqual(expected);
  });
});
