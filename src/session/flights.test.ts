/** What is out comes down once, in order, and fails whoever waits for it where it failed. */
import { expect, test } from 'vitest';
import type { Derived } from '../kernel/derive.ts';
import type { Recall } from '../ports/recall.ts';
import { simulatedClock } from '../testing/simulated-clock.ts';
import { flightsBy } from './flights.ts';

const said = (by: string): Derived => ({ event: { type: 'run_cancelled', by, reason: '' }, blobs: [] });
const landed = (name: string, by = name) => ({ name, answer: said(by) });

const never = (): Promise<Derived> => new Promise(() => undefined);
const settled = async (): Promise<void> => {
  for (let ticks = 0; ticks < 5; ticks += 1) await Promise.resolve();
};

test('what has landed before anybody waits comes first, in the order in which it was sent', async () => {
  const flights = flightsBy(simulatedClock(0));
  const first = Promise.withResolvers<Derived>();
  flights.send('first', true, () => first.promise);
  flights.send('second', true, async () => said('second'));
  await settled();
  first.resolve(said('first'));
  await settled();
  expect(await flights.next(10)).toEqual(landed('first'));
  flights.forget('first');
  expect(await flights.next(null)).toEqual(landed('second'));
});

test('the first to land is heard, and no timer is left behind', async () => {
  const clock = simulatedClock(0);
  const flights = flightsBy(clock);
  const slow = Promise.withResolvers<Derived>();
  flights.send('never', true, never);
  flights.send('slow', true, () => slow.promise);
  const next = flights.next(10);
  expect(clock.next()).toBe(10);
  slow.resolve(said('slow'));
  expect(await next).toEqual(landed('slow'));
  expect(clock.next()).toBeNull();
});

test('an instant that comes first is told as null; the flight is still out', async () => {
  const clock = simulatedClock(0);
  const flights = flightsBy(clock);
  const slow = Promise.withResolvers<Derived>();
  flights.send('slow', true, () => slow.promise);
  const next = flights.next(10);
  clock.advanceTo(10);
  expect(await next).toBeNull();
  slow.resolve(said('slow'));
  expect(await flights.next(20)).toEqual(landed('slow'));
});

test('where nothing is out and nothing is due there is nothing to wait for', async () => {
  expect(await flightsBy(simulatedClock(0)).next(null)).toBeNull();
});

test.each<[string, () => Promise<Derived>]>([
  ['a promise that breaks', () => Promise.reject(new Error('down'))],
  [
    'a throw before anything was promised',
    () => {
      throw new Error('down');
    },
  ],
])('%s fails whoever waits, now and later, and nobody else', async (_name, ask) => {
  const flights = flightsBy(simulatedClock(0));
  flights.send('broken', true, ask);
  await settled();
  await expect(flights.next(10)).rejects.toThrow('down');
  await expect(flights.next(null)).rejects.toThrow('down');
});

test('a failure is heard while it is waited for', async () => {
  const clock = simulatedClock(0);
  const flights = flightsBy(clock);
  const breaking = Promise.withResolvers<Derived>();
  flights.send('breaking', true, () => breaking.promise);
  const next = flights.next(10);
  breaking.reject(new Error('down'));
  await expect(next).rejects.toThrow('down');
  expect(clock.next()).toBeNull();
});

test('what is sent in the place of another is waited for from the next time on', async () => {
  const flights = flightsBy(simulatedClock(0));
  const replaced = Promise.withResolvers<Derived>();
  flights.send('at_hand', true, () => replaced.promise);
  const next = flights.next(10);
  flights.send('at_hand', true, async () => said('later'));
  replaced.resolve(said('sooner'));
  expect(await next).toEqual(landed('at_hand', 'sooner'));
  expect(await flights.next(10)).toEqual(landed('at_hand', 'later'));
});

test('what takes the place of another keeps its place, and what is forgotten gives it up', async () => {
  const flights = flightsBy(simulatedClock(0));
  const names = (): readonly string[] => flights.all.map(({ name }) => name);
  for (const name of ['one', 'two', 'one', 'three']) flights.send(name, true, async () => said(name));
  expect(names()).toEqual(['one', 'two', 'three']);
  flights.forget('two');
  flights.forget('nobody');
  flights.send('two', true, never);
  expect(names()).toEqual(['one', 'three', 'two']);
  expect(flights.get('nobody')).toBeUndefined();
});

test('each flight is called back by itself, and may ask for its signal when that has happened', async () => {
  const flights = flightsBy(simulatedClock(0));
  const recalls: Recall[] = [];
  const ask = (recall: Recall): Promise<Derived> => {
    recalls.push(recall);
    return never();
  };
  flights.send('one', true, ask);
  flights.send('two', false, ask);
  flights.get('one')?.recall.raise();
  expect(recalls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect(flights.all.map(({ awaited }) => awaited)).toEqual([true, false]);
});

test('a timer that breaks fails whoever waits by it, and leaves what is out as it was', async () => {
  const flights = flightsBy({ until: () => Promise.reject(new Error('no clock')) });
  const slow = Promise.withResolvers<Derived>();
  flights.send('slow', true, () => slow.promise);
  await expect(flights.next(10)).rejects.toThrow('no clock');
  slow.resolve(said('slow'));
  expect(await flights.next(null)).toEqual(landed('slow'));
});

test('of those that stand side by side none is kept because the one before it is forgotten', () => {
  const flights = flightsBy(simulatedClock(0));
  for (const name of ['one', 'two', 'three', 'four']) flights.send(name, true, never);
  flights.keep((name) => name === 'one' || name === 'four');
  expect(flights.all.map(({ name }) => name)).toEqual(['one', 'four']);
});
