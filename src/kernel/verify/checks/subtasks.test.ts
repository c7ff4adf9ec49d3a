/** Proves that sub-tasks are distinct, have completion criteria, respect the depth limit and have an order. */
import { describe, expect, test } from 'vitest';
import { context, known, planOf, problemLines, spec } from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { deepFreeze } from '../../../model/json/freeze.ts';
import type { Subtask } from '../../../model/plan/plan.ts';
import type { KnownState } from '../verify-context.ts';
import { type PlanVerification, verifyPlan } from '../verify-plan.ts';

const subtask = (id: string, goal: string = id, more: Partial<Subtask> = {}): Subtask => ({
  id,
  goal,
  completion_criteria: [`${goal} is done`],
  depth: 1,
  ...more,
});
function verify(subtasks: readonly Subtask[], state: Partial<KnownState> = {}): PlanVerification {
  const plan = planOf([{ id: 's1', tool: 't' }], { subtasks: deepFreeze(subtasks) });
  return verifyPlan(plan, context({ specs: [spec('t')], catalog: new Map(), known: known(state) }), 2);
}

verifies('plan:subtask:completion-criteria-and-unique-signature', 'requires criteria and refuses cycles', () => {
  for (const completion_criteria of [[], [' ', '']]) {
    expect(problemLines(verify([subtask('a', 'a', { completion_criteria })]))).toEqual([
      'subtask_criteria_missing /subtasks/0/completion_criteria',
    ]);
  }
  const circle = verify([subtask('a', 'a', { depends_on: ['b'] }), subtask('b', 'b', { depends_on: ['a'] })]);
  expect(problemLines(circle)).toEqual(['dependency_cycle /subtasks/0/depends_on']);
  expect(circle.verdict).not.toBe('ok');
  const twins = verify([
    subtask('root'),
    subtask('a', 'same', { depends_on: ['root'] }),
    subtask('x'),
    subtask('b', 'same', { depends_on: ['x'] }),
    subtask('end', 'end', { depends_on: ['b', 'a'] }),
  ]);
  expect(twins.verdict).toBe('ok');
  expect(twins.plan?.subtasks?.map(({ id, depends_on = [] }) => [id, ...depends_on])).toEqual([
    ['root'],
    ['a', 'root', 'x'],
    ['x'],
    ['end', 'a'],
  ]);
});

describe('merging', () => {
  test('compares criteria as sets', () => {
    const merged = verify([
      subtask('a', 'g', { completion_criteria: ['x', 'y'] }),
      subtask('b', 'g', { completion_criteria: ['y', 'x', 'y'] }),
      subtask('c', 'g', { completion_criteria: ['x'] }),
    ]);
    expect(merged.plan?.subtasks?.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  test('a dependency on an equal sub-task is not a cycle', () => {
    const merged = verify([subtask('a', 'g'), subtask('b', 'g', { depends_on: ['a'] })]);
    expect(merged).toMatchObject({ verdict: 'ok' });
    expect(merged.plan?.subtasks).toEqual([subtask('a', 'g')]);
  });

  test('reports a cycle that a merge creates at the path of the original sub-task', () => {
    const closed = verify([
      subtask('z'),
      subtask('a', 'g'),
      subtask('m', 'm', { depends_on: ['a'] }),
      subtask('b', 'g', { depends_on: ['m'] }),
    ]);
    expect(problemLines(closed)).toEqual(['dependency_cycle /subtasks/1/depends_on']);
  });

  test('refuses one id for two different sub-tasks', () => {
    expect(problemLines(verify([subtask('a', 'g'), subtask('a', 'h')]))).toEqual(['duplicate_step_id /subtasks/1/id']);
    expect(verify([subtask('a', 'g'), subtask('a', 'g')])).toMatchObject({
      verdict: 'ok',
      plan: { subtasks: [subtask('a', 'g')] },
    });
  });

  test('refuses an unknown dependency', () => {
    expect(problemLines(verify([subtask('a', 'a', { depends_on: ['gone'] })]))).toEqual([
      'unknown_dependency /subtasks/0/depends_on',
    ]);
  });

  test('merges a thousand equal sub-tasks into one', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => subtask(`t${index}`, 'g', { depends_on: ['x'] }));
    expect(verify([...many, subtask('x')]).plan?.subtasks).toHaveLength(2);
  });
});

describe('depth', () => {
  test('allows two levels below the root by default', () => {
    expect(verify([subtask('a'), subtask('b', 'b', { depth: 2 })]).verdict).toBe('ok');
    expect(problemLines(verify([subtask('a', 'a', { depth: 3 })]))).toEqual(['depth_exceeded /subtasks/0/depth']);
    expect(verify([subtask('a', 'a', { depth: 3 })], { depthMax: 3 }).verdict).toBe('ok');
  });

  test('a sub-task is always deeper than its run', () => {
    expect(verify([subtask('a', 'a', { depth: 0 })], { depth: 2 }).problems).toMatchObject([
      { code: 'depth_exceeded', detail: { depth: 3, depth_max: 2 } },
    ]);
    expect(verify([subtask('a', 'a', { depth: 0 })]).plan?.subtasks).toMatchObject([{ depth: 1 }]);
  });
});
