/** Proves that a plan is refused unless its steps have distinct ids and an order. */
import { expect, test } from 'vitest';
import { problemLines, spec, verifySteps } from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import type { PlanVerification } from '../verify-plan.ts';

const verify = (...steps: readonly (readonly [id: string, ...depends: string[]])[]): PlanVerification =>
  verifySteps(
    steps.map(([id, ...depends_on]) => ({ id, tool: 't', ...(depends_on.length === 0 ? {} : { depends_on }) })),
    [spec('t')],
  );

verifies('plan:schema:unique-step-ids', 'refuses duplicate step ids, each with its path', () => {
  const verification = verify(['s1'], ['s1'], ['s2'], ['s1']);
  expect(verification.verdict).toBe('replan');
  expect(problemLines(verification)).toEqual(['duplicate_step_id /steps/1/id', 'duplicate_step_id /steps/3/id']);
});

verifies('plan:deps:references-resolve', 'names the step and the missing step of an unknown dependency', () => {
  const verification = verify(['s1'], ['s2', 's1', 's9']);
  expect(problemLines(verification)).toEqual(['unknown_dependency /steps/1/depends_on/1']);
  expect(verification.problems[0]).toMatchObject({ step_id: 's2', detail: { missing: 's9' } });
  expect(verification.problems[0]?.message).toMatch(/s2.*s9/);
});

verifies('plan:deps:acyclic', 'refuses two steps that depend on each other', () => {
  const verification = verify(['s1', 's2'], ['s2', 's1']);
  expect(verification.verdict).toBe('replan');
  expect(problemLines(verification)).toEqual(['dependency_cycle /steps/0/depends_on']);
  expect(verification.problems[0]?.message).toContain('s1 → s2 → s1');
});

test('refuses a step that depends on itself', () => {
  expect(problemLines(verify(['s1', 's1']))).toEqual(['dependency_cycle /steps/0/depends_on']);
});

test('reports each cycle once, without the steps behind it', () => {
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

test('reports a cycle of 10,000 steps', () => {
  const ring = Array.from({ length: 10_000 }, (_, index): [string, string] => [
    `s${index}`,
    `s${(index + 1) % 10_000}`,
  ]);
  expect(problemLines(verify(...ring))).toEqual(['dependency_cycle /steps/0/depends_on']);
});
