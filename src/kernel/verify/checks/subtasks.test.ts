/** Proves that a goal can only be broken down into distinct, finishable, shallow pieces in some order. */
import { describe, expect, test } from 'vitest';
import { context, known, planOf, spec, told } from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { deepFreeze } from '../../../model/freeze.ts';
import type { Subtask } from '../../../model/plan.ts';
import { type KnownState, type PlanVerification, verifyPlan } from '../verify-plan.ts';

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

verifies('plan:subtask:completion-criteria-and-unique-signature', 'criteria, one identity each, no circle', () => {
  for (const completion_criteria of [[], [' ', '']]) {
    expect(told(verify([subtask('a', 'a', { completion_criteria })]))).toEqual([
      'subtask_criteria_missing /subtasks/0/completion_criteria',
    ]);
  }
  const circle = verify([subtask('a', 'a', { depends_on: ['b'] }), subtask('b', 'b', { depends_on: ['a'] })]);
  expect(told(circle)).toEqual(['dependency_cycle /subtasks/0/depends_on']);
  expect(circle.verdict).not.toBe('ok');
  const twins = verify([
    subtask('root'),
    subtask('a', 'same', { depends_on: ['root'] }),
    subtask('x'),
    subtask('b', 'same', { depends_on: ['x'] }),
    subtask('end', 'end', { depends_on: ['b', 'a'] }),
  ]);
  expect(twins.verdict).toBe('ok');
  expect(twins.merged).toEqual([{ kept: 'a', removed: 'b' }]);
  expect(twins.plan?.subtasks?.map(({ id, depends_on = [] }) => [id, ...depends_on])).toEqual([
    ['root'],
    ['a', 'root', 'x'],
    ['x'],
    ['end', 'a'],
  ]);
});

describe('merging', () => {
  test('criteria are a set', () => {
    const merged = verify([
      subtask('a', 'g', { completion_criteria: ['x', 'y'] }),
      subtask('b', 'g', { completion_criteria: ['y', 'x', 'y'] }),
      subtask('c', 'g', { completion_criteria: ['x'] }),
    ]);
    expect(merged.plan?.subtasks?.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  test('waiting for one’s own twin is no circle', () => {
    const merged = verify([subtask('a', 'g'), subtask('b', 'g', { depends_on: ['a'] })]);
    expect(merged).toMatchObject({ verdict: 'ok', merged: [{ kept: 'a', removed: 'b' }] });
    expect(merged.plan?.subtasks).toEqual([subtask('a', 'g')]);
  });

  test('merging may close a circle, and then the plan is refused at the place it came from', () => {
    const closed = verify([
      subtask('z'),
      subtask('a', 'g'),
      subtask('m', 'm', { depends_on: ['a'] }),
      subtask('b', 'g', { depends_on: ['m'] }),
    ]);
    expect(told(closed)).toEqual(['dependency_cycle /subtasks/1/depends_on']);
  });

  test('one name for two pieces of work is refused', () => {
    expect(told(verify([subtask('a', 'g'), subtask('a', 'h')]))).toEqual(['duplicate_step_id /subtasks/1/id']);
    expect(verify([subtask('a', 'g'), subtask('a', 'g')])).toMatchObject({
      verdict: 'ok',
      merged: [{ kept: 'a', removed: 'a' }],
    });
  });

  test('a dependency that leads nowhere is refused', () => {
    expect(told(verify([subtask('a', 'a', { depends_on: ['gone'] })]))).toEqual([
      'unknown_dependency /subtasks/0/depends_on',
    ]);
  });

  test('a thousand twins become one', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => subtask(`t${index}`, 'g', { depends_on: ['x'] }));
    expect(verify([...many, subtask('x')]).plan?.subtasks).toHaveLength(2);
  });
});

describe('depth', () => {
  test('two levels below the root, and no more', () => {
    expect(verify([subtask('a'), subtask('b', 'b', { depth: 2 })]).verdict).toBe('ok');
    expect(told(verify([subtask('a', 'a', { depth: 3 })]))).toEqual(['depth_exceeded /subtasks/0/depth']);
    expect(verify([subtask('a', 'a', { depth: 3 })], { depthMax: 3 }).verdict).toBe('ok');
  });

  test('a sub-task cannot claim to stand above the run that makes it', () => {
    expect(verify([subtask('a', 'a', { depth: 0 })], { depth: 2 }).problems).toMatchObject([
      { code: 'depth_exceeded', detail: { depth: 3, depth_max: 2 } },
    ]);
    expect(verify([subtask('a', 'a', { depth: 0 })]).plan?.subtasks).toMatchObject([{ depth: 1 }]);
  });
});
