/** Proves the lookups a verified plan is run by: an order that respects dependencies and, where it may, the author. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planOf, REFUND_PLAN } from '../../test/kernel/verify/fixtures.ts';
import { Fault } from '../model/fault.ts';
import type { Plan, PlanStep } from '../model/plan.ts';
import { indexPlan } from './plan-index.ts';

const steps = (...list: readonly (readonly [id: string, ...depends: string[]])[]): readonly PlanStep[] =>
  list.map(([id, ...depends_on]) => ({ id, tool: 't', depends_on }));

test('the refund plan', () => {
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

test('among steps that could go next, plan order', () => {
  const plan = planOf(steps(['a', 'd'], ['b'], ['c'], ['d'], ['e', 'a', 'b']));
  expect(indexPlan(plan).order).toEqual([1, 2, 3, 0, 4]);
});

test('a dependency named twice is one', () => {
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
test.each(broken)('a plan with %s was never verified', (_name, plan) => {
  expect(() => indexPlan(plan)).toThrow(Fault);
  expect(() => indexPlan(plan)).toThrow(expect.objectContaining({ code: 'plan_not_verified' }));
});

test('the order is the first by place of all that respect the dependencies', () => {
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
      // Step number n may wait only for smaller numbers, wherever in the list they stand.
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
