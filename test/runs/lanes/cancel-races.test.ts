/** A cancellation and an approval race: a payment is intended before the cancellation is stored, or never. */
import { expect, test } from 'vitest';
import { expectRacesHeld } from './cancel-races.ts';

test('pays only if the intent was stored before the cancellation, under 16 seeds', async () => {
  const { paid, refused } = await expectRacesHeld(1, 16);
  // The seeds reach both sides of the race.
  expect(paid).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});
