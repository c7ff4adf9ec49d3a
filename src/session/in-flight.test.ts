/** Proves that effects in flight are delivered once and in order, and that a failure rejects the wait for it. */
import { expect, test } from 'vitest';
import type { Derived } from '../kernel/machine/derive.ts';
import type { Cancellation } from '../ports/cancellation.ts';
import { simulatedClock } from '../testing/simulated-clock.ts';
import { createInFlight } from './in-flight.ts';

const answerBy = (by: string): Derived => ({ event: { type: 'run_cancelled', by, reason: '' }, blobs: [] });
const landed = (name: string, by = name) => ({ name, answer: answerBy(by) });

const never = (): Promise<Derived> => new Promise(() => undefined);
const settled = async (): Promise<void> => {
  for (let ticks = 0; ticks < 5; ticks += 1) await Promise.resolve();
};

test('returns effects that have already finished first, in the order they were sent', async () => {
  const flights = createInFlight(simulatedClock(0));
  const first = Promise.withResolvers<Derived>();
  flights.send('first', true, () => first.promise);
  flights.send('second', true, async () => answerBy('second'));
  await settled();
  first.resolve(answerBy('first'));
  await settled();
  expect(await flights.next(10)).toEqual(landed('first'));
  flights.forget('first');
  expect(await flights.next(null)).toEqual(landed('second'));
});

test('returns the first effect to finish and cancels its timer', async () => {
  const clock = simulatedClock(0);
  const flights = createInFlight(clock);
  const slow = Promise.withResolvers<Derived>();
  flights.send('never', true, never);
  flights.send('slow', true, () => slow.promise);
  const next = flights.next(10);
  expect(clock.next()).toBe(10);
  slow.resolve(answerBy('slow'));
  expect(await next).toEqual(landed('slow'));
  expect(clock.next()).toBeNull();
});

test('returns null when the time comes first and keeps the effect in flight', async () => {
  const clock = simulatedClock(0);
  const flights = createInFlight(clock);
  const slow = Promise.withResolvers<Derived>();
  flights.send('slow', true, () => slow.promise);
  const next = flights.next(10);
  clock.advanceTo(10);
  expect(await next).toBeNull();
  slow.resolve(answerBy('slow'));
  expect(await flights.next(20)).toEqual(landed('slow'));
});

test('returns null at once when nothing is in flight and no time is set', async () => {
  expect(await createInFlight(simulatedClock(0)).next(null)).toBeNull();
});

test.each<[string, () => Promise<Derived>]>([
  ['a rejected promise', () => Promise.reject(new Error('down'))],
  [
    'a synchronous throw',
    () => {
      throw new Error('down');
    },
  ],
])('%s rejects every wait for it', async (_name, ask) => {
  const flights = createInFlight(simulatedClock(0));
  flights.send('broken', true, ask);
  await settled();
  await expect(flights.next(10)).rejects.toThrow('down');
  await expect(flights.next(null)).rejects.toThrow('down');
});

test('rejects a pending wait when the effect fails', async () => {
  const clock = simulatedClock(0);
  const flights = createInFlight(clock);
  const breaking = Promise.withResolvers<Derived>();
  flights.send('breaking', true, () => breaking.promise);
  const next = flights.next(10);
  breaking.reject(new Error('down'));
  await expect(next).rejects.toThrow('down');
  expect(clock.next()).toBeNull();
});

test('waits for a replacement from the next call on', async () => {
  const flights = createInFlight(simulatedClock(0));
  const replaced = Promise.withResolvers<Derived>();
  flights.send('at_hand', true, () => replaced.promise);
  const next = flights.next(10);
  flights.send('at_hand', true, async () => answerBy('later'));
  replaced.resolve(answerBy('sooner'));
  expect(await next).toEqual(landed('at_hand', 'sooner'));
  expect(await flights.next(10)).toEqual(landed('at_hand', 'later'));
});

test('keeps the position of a replaced effect and frees that of a forgotten one', async () => {
  const flights = createInFlight(simulatedClock(0));
  const names = (): readonly string[] => flights.all.map(({ name }) => name);
  for (const name of ['one', 'two', 'one', 'three']) flights.send(name, true, async () => answerBy(name));
  expect(names()).toEqual(['one', 'two', 'three']);
  flights.forget('two');
  flights.forget('nobody');
  flights.send('two', true, never);
  expect(names()).toEqual(['one', 'three', 'two']);
  expect(flights.get('nobody')).toBeUndefined();
});

test('cancels each effect separately, with a signal that can be read afterwards', async () => {
  const flights = createInFlight(simulatedClock(0));
  const recalls: Cancellation[] = [];
  const ask = (recall: Cancellation): Promise<Derived> => {
    recalls.push(recall);
    return never();
  };
  flights.send('one', true, ask);
  flights.send('two', false, ask);
  flights.get('one')?.recall.cancel();
  expect(recalls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect(flights.all.map(({ awaited }) => awaited)).toEqual([true, false]);
});

test('rejects a wait whose timer fails and keeps the effect in flight', async () => {
  const flights = createInFlight({ until: () => Promise.reject(new Error('no clock')) });
  const slow = Promise.withResolvers<Derived>();
  flights.send('slow', true, () => slow.promise);
  await expect(flights.next(10)).rejects.toThrow('no clock');
  slow.resolve(answerBy('slow'));
  expect(await flights.next(null)).toEqual(landed('slow'));
});

test('drops adjacent effects that are not kept', () => {
  const flights = createInFlight(simulatedClock(0));
  for (const name of ['one', 'two', 'three', 'four']) flights.send(name, true, never);
  flights.keep((name) => name === 'one' || name === 'four');
  expect(flights.all.map(({ name }) => name)).toEqual(['one', 'four']);
});
