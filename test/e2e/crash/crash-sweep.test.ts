/** The refund loses its process around the payment, and another process finishes it. The deep tier kills it everywhere. */
import { test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { expectRefundSurvives, expectRefundWithoutCrash } from './refund-crashes.ts';

test('makes one refund without a crash', expectRefundWithoutCrash);

verifies(
  ['session:durable:survives-restart', 'plan:execution:progress-saved-per-step'],
  'ends as without a crash when killed after a commit and after the payment',
  () =>
    expectRefundSurvives([
      ['after_commit', 3],
      ['after_call', 3],
    ]),
);
