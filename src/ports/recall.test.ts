import { expect, test } from 'vitest';
import { Recall } from './recall.ts';

test('a signal asked for before it is raised is raised with it, and is one for all who ask', () => {
  const recall = new Recall();
  const { signal } = recall;
  expect(recall.signal).toBe(signal);
  expect([recall.raised, signal.aborted]).toEqual([false, false]);
  recall.raise();
  expect([recall.raised, signal.aborted]).toEqual([true, true]);
  expect(signal.reason).toMatchObject({ name: 'AbortError' });
});

test('a signal asked for too late is raised already, for the reason that was given', () => {
  const why = new DOMException('over', 'AbortError');
  const early = new Recall();
  const { signal } = early;
  const late = new Recall();
  for (const recall of [early, late]) recall.raise(why);
  expect([signal.reason, late.signal.reason]).toEqual([why, why]);
  expect(late.signal.aborted).toBe(true);
});

test('without a reason a signal has the one of the platform, whenever it is asked for', () => {
  const late = new Recall();
  late.raise();
  expect(late.signal.reason).toMatchObject({ name: 'AbortError' });
});

test('it is raised once, and the first reason stays', () => {
  const heard: string[] = [];
  const recall = new Recall();
  recall.heed(() => heard.push('heard'));
  recall.signal.addEventListener('abort', () => heard.push('signal'));
  recall.raise('first');
  recall.raise('second');
  expect(heard).toEqual(['heard', 'signal']);
  expect(recall.signal.reason).toBe('first');
});

test('whoever does not listen any more hears nothing; the others hear it in order', () => {
  const heard: string[] = [];
  const recall = new Recall();
  const leaves = (): void => void heard.push('gone');
  recall.heed(() => heard.push('first'));
  recall.heed(leaves);
  recall.heed(() => heard.push('second'));
  recall.ignore(leaves);
  recall.raise();
  expect(heard).toEqual(['first', 'second']);
});
