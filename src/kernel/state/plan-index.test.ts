/** Proves the lookups of a verified plan: the order respects dependencies and otherwise keeps the order of the plan. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planOf, REFUND_PLAN } from '../../../test/kernel/verify/fixtures.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Plan, PlanStep } from '../../model/plan/plan.ts';
import { indexPlan } from './plan-index.ts';

const steps = (...list: readonly (readonly [id: string, ...depends: string[]])[]): readonly PlanStep[] =>
  list.map(([id, ...depends_on]) => ({ id, tool: 't', depends_on }));

test('indexes the refund plan', () => {
  expect(indexPlan(REFUND_PLAN)).toEqual({
    indexOf: new Map([
      ['s1', 0],
      ['s2', 1],
      ['s3', 2],
    ]),
    dependencies: [[], [0], [1]],
    dependents: [[1], [2], []],
    order: [0, 1, 2],
    checkpointsAfter: new Map([[1, [{ decision_id: 'support.refund.execute', after_step: 's2' }]]]),
  });
});

test('several checkpoints after one step keep their order', () => {
  const decision_checkpoints = ['x', 'y'].map((decision_id) => ({ decision_id, after_step: 'a' }));
  expect(indexPlan(planOf(steps(['a']), { decision_checkpoints })).checkpointsAfter.get(0)).toEqual(
    decision_checkpoints,
  );
});

test('steps that are ready at the same time run in plan order', () => {
  const plan = planOf(steps(['a', 'd'], ['b'], ['c'], ['d'], ['e', 'a', 'b']));
  expect(indexPlan(plan).order).toEqual([1, 2, 3, 0, 4]);
});

test('a dependency listed twice counts once', () => {
  expect(indexPlan(planOf(steps(['a'], ['b', 'a', 'a'])))).toMatchObject({
    dependencies: [[], [0]],
    dependents: [[1], []],
  });
});

const broken: readonly (readonly [string, Plan])[] = [
  ['two steps of one name', planOf(steps(['a'], ['a']))],
  ['a dependency that is not there', planOf(steps(['a', 'z']))],
  ['a circle', planOf(steps(['a', 'b'], ['b', 'a']))],
  [
    'a checkpoint after nothing',
    planOf(steps(['a']), { decision_checkpoints: [{ decision_id: 'd', after_step: 'z' }] }),
  ],
];
test.each(broken)('refuses to index a plan with %s', (_name, plan) => {
  expect(() => indexPlan(plan)).toThrow(Fault);
  expect(() => indexPlan(plan)).toThrow(expect.objectContaining({ code: 'plan_not_verified' }));
});

test('always runs the first step of the list that is ready', () => {
  const plans = fc
    .integer({ min: 1, max: 30 })
    .chain((count) =>
      fc.tuple(
        fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
        fc.array(fc.array(fc.nat(count), { maxLength: 3 }), { minLength: count, maxLength: count }),
      ),
    );
  fc.assert(
    fc.property(plans, ([places, edges]) => {
      // Step n depends only on steps with smaller numbers, at any position in the list.
      const list = places.map((number): [string, ...string[]] => [
        `n${number}`,
        ...(edges[number] ?? []).filter((other) => other < number).map((other) => `n${other}`),
      ]);
      const index = indexPlan(planOf(steps(...list)));
      const done = new Set<number>();
      for (const node of index.order) {
        const ready = list
          .map((_, place) => place)
          .filter(
            (place) => !done.has(place) && index.dependencies[place]?.every((dependency) => done.has(dependency)),
          );
        expect(node).toBe(Math.min(...ready));
        done.add(node);
      }
      expect(done.size).toBe(list.length);
    }),
  );
});
