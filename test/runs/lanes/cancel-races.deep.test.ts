/** Races a cancellation and an approval under many seeds. */
import { expect, test } from 'vitest';
import { expectRacesHeld } from './cancel-races.ts';

test('pays only if the intent was stored before the cancellation', { timeout: 900_000 }, async () => {
  const { paid, refused } = await expectRacesHeld(100, 300);
  expect(paid).toBeGreaterThan(20);
  expect(refused).toBeGreaterThan(20);
});
