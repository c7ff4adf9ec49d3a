import { expect, test } from 'vitest';
import { Cancellation } from './cancellation.ts';

test('raises a signal that was read earlier, and returns the same signal to every reader', () => {
  const recall = new Cancellation();
  const { signal } = recall;
  expect(recall.signal).toBe(signal);
  expect([recall.isCancelled, signal.aborted]).toEqual([false, false]);
  recall.cancel();
  expect([recall.isCancelled, signal.aborted]).toEqual([true, true]);
  expect(signal.reason).toMatchObject({ name: 'AbortError' });
});

test('returns an aborted signal with the given reason when it is read after the raise', () => {
  const why = new DOMException('over', 'AbortError');
  const early = new Cancellation();
  const { signal } = early;
  const late = new Cancellation();
  for (const recall of [early, late]) recall.cancel(why);
  expect([signal.reason, late.signal.reason]).toEqual([why, why]);
  expect(late.signal.aborted).toBe(true);
});

test("uses the platform's abort reason by default, also when the signal is read late", () => {
  const late = new Cancellation();
  late.cancel();
  expect(late.signal.reason).toMatchObject({ name: 'AbortError' });
});

test('raises once and keeps the first reason', () => {
  const calls: string[] = [];
  const recall = new Cancellation();
  recall.addListener(() => calls.push('heard'));
  recall.signal.addEventListener('abort', () => calls.push('signal'));
  recall.cancel('first');
  recall.cancel('second');
  expect(calls).toEqual(['heard', 'signal']);
  expect(recall.signal.reason).toBe('first');
});

test('calls the listeners in order and skips removed ones', () => {
  const calls: string[] = [];
  const recall = new Cancellation();
  const removed = (): void => void calls.push('gone');
  recall.addListener(() => calls.push('first'));
  recall.addListener(removed);
  recall.addListener(() => calls.push('second'));
  recall.removeListener(removed);
  recall.cancel();
  expect(calls).toEqual(['first', 'second']);
});
