/** Kills a run with two lanes right after the payment of one of them. */
import { expect, test } from 'vitest';
import { expectLanesSurvive } from './lane-crashes.ts';

test('leaves one root, two lanes and one payment after a kill', () => {
  expect(expectLanesSurvive([['after_call', 1]])).toBe(1);
});
