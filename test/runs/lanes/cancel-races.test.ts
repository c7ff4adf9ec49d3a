/** A cancellation and an approval race: a payment is intended before the cancellation is stored, or never. */
import { expect, test } from 'vitest';
import { raceCancelAndYes } from './cancel-races.ts';

test('pays only if the intent was stored before the cancellation, under 60 seeds', async () => {
  let [paid, refused] = [0, 0];
  for (let seed = 1; seed <= 60; seed += 1) {
    const { order, payments, parent, lane } = await raceCancelAndYes(seed);
    const cancelled = order.indexOf('parent run_cancelled');
    const intent = order.indexOf('lane step_attempted');
    expect(intent === -1 || cancelled === -1 || intent < cancelled, `seed ${seed}: ${order.join(', ')}`).toBe(true);
    expect(payments, `seed ${seed}: ${order.join(', ')}`).toBeLessThanOrEqual(intent === -1 ? 0 : 1);
    expect(parent, `seed ${seed}`).not.toBeNull();
    expect(lane, `seed ${seed}`).not.toBeNull();
    if (payments === 1) paid += 1;
    else if (order.indexOf('lane gate_decided') > cancelled) refused += 1;
  }
  // The seeds reach both sides of the race.
  expect(paid).toBeGreaterThan(5);
  expect(refused).toBeGreaterThan(5);
});
