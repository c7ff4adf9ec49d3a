/**
 * Proves that verification handles any proposal, since a model may return anything: it never throws, never accepts
 * junk, never changes its input, and always gives the same answer.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { context, REFUND_PLAN } from '../../../test/kernel/verify/fixtures.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { Problem } from '../../model/json/problem.ts';
import { indexPlan } from '../state/plan-index.ts';
import { verifyPlan } from './verify-plan.ts';

function examine(proposed: unknown): void {
  const verification = verifyPlan(proposed, context(), 1);
  for (const problem of verification.problems) expect(Problem.safeParse(problem).error).toBeUndefined();
  expect(verification.verdict === 'ok').toBe(verification.problems.length === 0);
  expect(verifyPlan(proposed, context(), 1)).toEqual(verification);
  // An accepted plan can be indexed.
  if (verification.verdict === 'ok')
    expect(indexPlan(verification.plan).order).toHaveLength(verification.plan.steps.length);
}

test('arbitrary values', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    withNullPrototype: true,
    withBoxedValues: true,
    withTypedArray: true,
    withObjectString: true,
  });
  fc.assert(
    fc.property(anything, (proposed) => examine(proposed)),
    { numRuns: 300 },
  );
});

const hostile = fc.constantFrom<unknown>(
  's1',
  's2',
  's9',
  '',
  ' ',
  '\u0000',
  '__proto__',
  'constructor',
  'a'.repeat(300),
  null,
  0,
  -1,
  1e300,
  [],
  {},
  ['s1'],
  { $from: 's1', path: '' },
  { $from: 's1', path: '/order/total' },
  { $from: 's2', path: 'x' },
  JSON.parse('{"__proto__":{"x":1}}'),
  '\ud800',
);

test('a valid plan with one arbitrary value', () => {
  const places: string[][] = [];
  const collect = (value: unknown, path: string[]): void => {
    places.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, child] of Object.entries(value)) collect(child, [...path, key]);
  };
  collect(REFUND_PLAN, []);
  const put = (value: unknown, [key, ...rest]: readonly string[], what: unknown): unknown => {
    if (key === undefined) return what;
    const copy: Record<string, unknown> = Array.isArray(value)
      ? ([...value] as unknown as Record<string, unknown>)
      : { ...(value as object) };
    copy[key] = put(copy[key], rest, what);
    return copy;
  };
  fc.assert(
    fc.property(fc.constantFrom(...places), hostile, (path, what) => examine(deepFreeze(put(REFUND_PLAN, path, what)))),
    { numRuns: 600 },
  );
});

test('plans of plausible parts', () => {
  const id = fc.constantFrom('s1', 's2', 's3', 's4');
  const step = fc.record(
    {
      id,
      tool: fc.constantFrom('adp_orders.lookup', 'adp_policy.eval', 'adp_payments.issue_refund', 'teleport'),
      params: fc.dictionary(fc.constantFrom('order_id', 'x'), fc.oneof(fc.jsonValue(), hostile), { maxKeys: 2 }),
      depends_on: fc.array(id, { maxLength: 3 }),
      approval_mode: fc.constantFrom('read_only', 'network', 'destructive'),
      requires: fc.subarray(['GATE_FINANCE_APPROVAL', 'G']),
      context_key: fc.constantFrom('k1', 'k2'),
      inputs: fc.array(
        fc.oneof(
          fc.constantFrom('k1', 'k2', 'k3'),
          fc.dictionary(fc.constantFrom('order', 'policy'), fc.constantFrom('k1', 'k2')),
        ),
        { maxLength: 2 },
      ),
      because: fc.array(id, { maxLength: 1 }),
    },
    { requiredKeys: ['id', 'tool'] },
  );
  const subtask = fc.record({
    id,
    goal: fc.constantFrom('g', 'h'),
    completion_criteria: fc.array(fc.constantFrom('', 'c'), { maxLength: 2 }),
    depends_on: fc.array(id, { maxLength: 2 }),
    depth: fc.nat(3),
  });
  const plan = fc.record(
    {
      plan_id: fc.constant('p'),
      intent: fc.constant('i'),
      steps: fc.array(step, { maxLength: 5 }),
      decision_checkpoints: fc.array(
        fc.record({ decision_id: fc.constantFrom('support.refund.execute', 'x'), after_step: id }),
        { maxLength: 2 },
      ),
      subtasks: fc.array(subtask, { maxLength: 4 }),
    },
    { requiredKeys: ['plan_id', 'intent', 'steps', 'decision_checkpoints'] },
  );
  fc.assert(
    fc.property(plan, (proposed) => examine(deepFreeze(proposed))),
    { numRuns: 600 },
  );
});
