/** Proves that a run goes back to planning only while all three of its limits hold. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { repairStop } from './repair.ts';

test('a repair is possible while repairs, retries and budget are left', () => {
  expect(repairStop({ repairs: 1, retries: 1, exhausted: null })).toBeNull();
});

test('each limit on its own closes the way back', () => {
  expect(repairStop({ repairs: 0, retries: 1, exhausted: null })).toEqual({
    code: 'REPEATED_FAILURE',
    reason: 'repair_bound',
  });
  expect(repairStop({ repairs: 1, retries: 0, exhausted: null })).toEqual({
    code: 'REPEATED_FAILURE',
    reason: 'retry_budget_exhausted',
  });
  expect(repairStop({ repairs: 1, retries: 1, exhausted: 'tool_calls' })).toEqual({
    code: 'BUDGET_EXHAUSTED',
    reason: 'budget_exhausted',
    detail: { dimension: 'tool_calls' },
  });
});

const amount = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constant(Number.NaN));
test.prop([amount, amount, fc.option(fc.constant('steps'))])('nothing else opens it', (repairs, retries, exhausted) => {
  expect(repairStop({ repairs, retries, exhausted }) === null).toBe(repairs > 0 && retries > 0 && exhausted === null);
});
