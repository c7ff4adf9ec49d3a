/** Kills a run with two lanes at every commit and around the call. */
import { expect, test } from 'vitest';
import { expectLanesSurvive } from './lane-crashes.ts';

const MOMENTS: readonly (readonly [string, number])[] = [
  ...[1, 2, 3, 4, 5].map((count): readonly [string, number] => ['after_commit', count]),
  ['before_commit', 2],
  ['before_call', 1],
  ['after_call', 1],
];

test('leaves one root, two lanes and one payment, whenever the process dies', { timeout: 600_000 }, () => {
  expect(expectLanesSurvive(MOMENTS)).toBeGreaterThan(5);
});
