import { describe, expect, test } from 'vitest';
import { faultOf } from '../../../test/graph/fault-of.ts';
import { hash, TOGGLES } from '../../../test/graph/toggles.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { compile } from '../graph/compile.ts';
import { STANDARD_GRAPH_NAMES, STANDARD_GRAPHS } from '../graph/standard-graphs.ts';
import { chooseTier, TASK_NEEDS, type TaskNeed, type TaskProfile, TIERS, tierOf } from './tiers.ts';

const task = (profile: Partial<TaskProfile>): TaskProfile =>
  deepFreeze({ needs: [], environment: 'production', ...profile });

verifies('ladder:tiers:seven-ordered-descriptors', 'describes seven tiers, ranked 1 to 7', () => {
  expect(TIERS.map(({ rank, name }) => [rank, name])).toEqual([
    [1, 'direct_response'],
    [2, 'prompt_chain'],
    [3, 'deterministic_workflow'],
    [4, 'conditional_graph'],
    [5, 'supervised_loop'],
    [6, 'bounded_loop'],
    [7, 'open_ended_loop'],
  ]);
  for (const tier of TIERS) {
    const { control_plane, path_style, cost_class, failure_surface, example_use } = tier;
    for (const text of [control_plane, path_style, cost_class, failure_surface, example_use]) {
      expect(text.trim()).not.toBe('');
    }
    expect(tierOf(tier.rank)).toBe(tier);
  }
  for (const rank of [0, 8, -1, 1.5, Number.NaN]) expect(faultOf(() => tierOf(rank)).code).toBe('tier_unknown');
});

verifies('ladder:selection:lowest-sufficient-tier', 'chooses the lowest sufficient tier and explains why', () => {
  const choice = chooseTier(task({ needs: ['fixed_sequence', 'static_branching'] }));
  expect(choice.tier.rank).toBe(3);
  expect(choice.insufficient.map(({ rank }) => rank)).toEqual([1, 2]);
  for (const { why } of choice.insufficient) expect(why).toContain('static_branching');

  const unexplained = faultOf(() =>
    chooseTier(task({ needs: ['static_branching'], requested: { rank: 6, reasons: [] } })),
  );
  expect(unexplained.code).toBe('tier_unjustified');
  expect(unexplained.message).toContain('tier 3, 4, 5');

  const reasons = [3, 4, 5].map((rank) => ({ rank, why: `tier ${rank} cannot follow the incident` }));
  const explained = chooseTier(task({ needs: ['static_branching'], requested: { rank: 6, reasons } }));
  expect(explained.tier.rank).toBe(6);
  expect(explained.insufficient.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
});

describe('chooseTier', () => {
  test.each(Object.entries(TASK_NEEDS))('meets %s at the tier of that need', (need, { rank }) => {
    const choice = chooseTier(task({ needs: [need as TaskNeed], environment: 'sandbox' }));
    expect(choice.tier.rank).toBe(rank);
    expect(choice.insufficient).toHaveLength(rank - 1);
  });

  test('chooses tier 1 for a task without needs', () => {
    expect(chooseTier(task({}))).toEqual({ tier: tierOf(1), insufficient: [] });
  });

  test('requires a reason that is not blank for every lower tier', () => {
    const reasons = [
      { rank: 1, why: 'too simple' },
      { rank: 2, why: '  ' },
    ];
    const fault = faultOf(() => chooseTier(task({ requested: { rank: 3, reasons } })));
    expect(fault.code).toBe('tier_unjustified');
    expect(fault.message).toContain('tier 2 ');
  });

  test('refuses an insufficient tier and names the unmet need', () => {
    const fault = faultOf(() => chooseTier(task({ needs: ['dynamic_plan'], requested: { rank: 2, reasons: [] } })));
    expect(fault.code).toBe('tier_not_allowed');
    expect(fault.message).toContain('dynamic_plan');
  });

  test('refuses an unknown need, including inherited property names', () => {
    for (const need of ['wings', 'toString', '__proto__']) {
      const fault = faultOf(() => chooseTier(task({ needs: [need as TaskNeed] })));
      expect(fault.code).toBe('input_invalid');
      expect(fault.message).toContain('static_branching');
    }
  });

  test('refuses an unknown tier', () => {
    expect(faultOf(() => chooseTier(task({ requested: { rank: 8, reasons: [] } }))).code).toBe('tier_unknown');
  });

  test('allows the open-ended tier only in a sandbox', () => {
    const needs = ['open_ended_exploration'] as const;
    expect(faultOf(() => chooseTier(task({ needs }))).code).toBe('tier_not_allowed');
    expect(chooseTier(task({ needs, environment: 'sandbox' })).tier.rank).toBe(7);
  });
});

describe('graphs of the tiers', () => {
  test('every tier has graphs that compile, of its own tier and at most 6', () => {
    for (const { rank, graphs } of TIERS) {
      for (const name of graphs) {
        const { spec } = compile(STANDARD_GRAPHS[name], TOGGLES, hash);
        expect(spec.tier).toBe(Math.min(rank, 6));
      }
    }
  });

  test('every standard graph serves a tier', () => {
    expect(new Set(TIERS.flatMap(({ graphs }) => graphs))).toEqual(new Set(STANDARD_GRAPH_NAMES));
  });
});
