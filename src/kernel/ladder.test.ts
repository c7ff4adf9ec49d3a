import { describe, expect, test } from 'vitest';
import { faultOf } from '../../test/graph/fault-of.ts';
import { hash, TOGGLES } from '../../test/graph/toggles.ts';
import { verifies } from '../../test/requirements/verifies.ts';
import { deepFreeze } from '../model/freeze.ts';
import { compile } from './graph/compile.ts';
import { STANDARD_GRAPH_NAMES, STANDARD_GRAPHS } from './graph/standard-graphs.ts';
import { chooseTier, type TaskProfile, tierOf } from './ladder.ts';
import { TASK_NEEDS, type TaskNeed, TIERS } from './tiers.ts';

const task = (profile: Partial<TaskProfile>): TaskProfile =>
  deepFreeze({ needs: [], environment: 'production', ...profile });

verifies('ladder:tiers:seven-ordered-descriptors', 'seven tiers from 1 to 7, each described in full', () => {
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

verifies('ladder:selection:lowest-sufficient-tier', 'the lowest tier that will do, and why not a lower one', () => {
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

describe('choosing', () => {
  test.each(Object.entries(TASK_NEEDS))('%s alone is met at its own rung', (need, { rank }) => {
    const choice = chooseTier(task({ needs: [need as TaskNeed], environment: 'sandbox' }));
    expect(choice.tier.rank).toBe(rank);
    expect(choice.insufficient).toHaveLength(rank - 1);
  });

  test('a task that needs nothing special gets one answer', () => {
    expect(chooseTier(task({}))).toEqual({ tier: tierOf(1), insufficient: [] });
  });

  test('one reason left out, or left blank, is not a reason', () => {
    const reasons = [
      { rank: 1, why: 'too simple' },
      { rank: 2, why: '  ' },
    ];
    const fault = faultOf(() => chooseTier(task({ requested: { rank: 3, reasons } })));
    expect(fault.code).toBe('tier_unjustified');
    expect(fault.message).toContain('tier 2 ');
  });

  test('a tier that cannot do the task is refused, with what it lacks', () => {
    const fault = faultOf(() => chooseTier(task({ needs: ['dynamic_plan'], requested: { rank: 2, reasons: [] } })));
    expect(fault.code).toBe('tier_not_allowed');
    expect(fault.message).toContain('dynamic_plan');
  });

  test('a need nobody knows is refused, also when every object inherits it', () => {
    for (const need of ['wings', 'toString', '__proto__']) {
      const fault = faultOf(() => chooseTier(task({ needs: [need as TaskNeed] })));
      expect(fault.code).toBe('input_invalid');
      expect(fault.message).toContain('static_branching');
    }
  });

  test('a tier off the ladder cannot be asked for', () => {
    expect(faultOf(() => chooseTier(task({ requested: { rank: 8, reasons: [] } }))).code).toBe('tier_unknown');
  });

  test('the open-ended tier stays in the sandbox', () => {
    const needs = ['open_ended_exploration'] as const;
    expect(faultOf(() => chooseTier(task({ needs }))).code).toBe('tier_not_allowed');
    expect(chooseTier(task({ needs, environment: 'sandbox' })).tier.rank).toBe(7);
  });
});

describe('graphs of the rungs', () => {
  test('every tier has a graph that compiles and stands no higher than the tier', () => {
    for (const { rank, graphs } of TIERS) {
      for (const name of graphs) {
        const { spec } = compile(STANDARD_GRAPHS[name], TOGGLES, hash);
        expect(spec.tier).toBe(Math.min(rank, 6));
      }
    }
  });

  test('every shipped graph serves some tier', () => {
    expect(new Set(TIERS.flatMap(({ graphs }) => graphs))).toEqual(new Set(STANDARD_GRAPH_NAMES));
  });
});
