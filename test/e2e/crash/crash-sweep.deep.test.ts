/** The refund loses its process at every commit and around every call, and another process finishes it. */
import { verifies } from '../../requirements/verifies.ts';
import { expectRefundSurvives } from './refund-crashes.ts';
import type { Moment } from './refund-process.ts';

const MOMENTS: readonly (readonly [Moment, number])[] = [
  ...[1, 2, 3, 4, 5, 6].flatMap((n): [Moment, number][] => [
    ['before_commit', n],
    ['after_commit', n],
  ]),
  ...[1, 2, 3].flatMap((n): [Moment, number][] => [
    ['before_call', n],
    ['after_call', n],
  ]),
];

verifies(
  ['session:durable:survives-restart', 'plan:execution:progress-saved-per-step'],
  'ends as without a crash when killed at every commit and around every call',
  () => expectRefundSurvives(MOMENTS),
  { timeout: 600_000 },
);
