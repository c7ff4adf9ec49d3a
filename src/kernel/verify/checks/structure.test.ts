/** Proves that the steps of a plan can be told apart and put in an order, or that the plan is refused. */
import { expect, test } from 'vitest';
import { spec, told, verifySteps } from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import type { PlanVerification } from '../verify-plan.ts';

const verify = (...steps: readonly (readonly [id: string, ...depends: string[]])[]): PlanVerification =>
  verifySteps(
    steps.map(([id, ...depends_on]) => ({ id, tool: 't', ...(depends_on.length === 0 ? {} : { depends_on }) })),
    [spec('t')],
  );

verifies('plan:schema:unique-step-ids', 'two steps of one name are refused, each repetition with its place', () => {
  const verification = verify(['s1'], ['s1'], ['s2'], ['s1']);
  expect(verification.verdict).toBe('replan');
  expect(told(verification)).toEqual(['duplicate_step_id /steps/1/id', 'duplicate_step_id /steps/3/id']);
});

verifies('plan:deps:references-resolve', 'a dependency on a step that is not there names both', () => {
  const verification = verify(['s1'], ['s2', 's1', 's9']);
  expect(told(verification)).toEqual(['unknown_dependency /steps/1/depends_on/1']);
  expect(verification.problems[0]).toMatchObject({ step_id: 's2', detail: { missing: 's9' } });
  expect(verification.problems[0]?.message).toMatch(/s2.*s9/);
});

verifies('plan:deps:acyclic', 'two steps that wait for each other are refused', () => {
  const verification = verify(['s1', 's2'], ['s2', 's1']);
  expect(verification.verdict).toBe('replan');
  expect(told(verification)).toEqual(['dependency_cycle /steps/0/depends_on']);
  expect(verification.problems[0]?.message).toContain('s1 → s2 → s1');
});

test('a step that waits for itself', () => {
  expect(told(verify(['s1', 's1']))).toEqual(['dependency_cycle /steps/0/depends_on']);
});

test('each circle is told once, and what only waits behind one is not part of it', () => {
  const verification = verify(
    ['x', 'a'],
    ['a', 'b'],
    ['b', 'a'],
    ['free'],
    ['c', 'd'],
    ['d', 'e'],
    ['e', 'c'],
    ['y', 'e', 'free'],
  );
  expect(verification.problems.map(({ detail }) => detail)).toEqual([
    { steps: ['a', 'b'] },
    { steps: ['c', 'd', 'e'] },
  ]);
});

test('a circle of ten thousand steps is only a circle', () => {
  const ring = Array.from({ length: 10_000 }, (_, index): [string, string] => [
    `s${index}`,
    `s${(index + 1) % 10_000}`,
  ]);
  expect(told(verify(...ring))).toEqual(['dependency_cycle /steps/0/depends_on']);
});
