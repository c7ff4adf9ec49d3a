import { expect, test } from 'vitest';
import { questionParts } from './open-part.ts';

test.each([
  ['Which plan am I on, and what did I pay last month?', ['which plan am i on', 'what did i pay last month']],
  ['Which plan am I on? What did I pay?', ['which plan am i on', 'what did i pay']],
  ['Hi, tell me my plan and my last invoice.', ['tell me my plan', 'my last invoice']],
  [
    'Where is my parcel, when does it arrive and who signed for it?',
    ['where is my parcel', 'when does it arrive', 'who signed for it'],
  ],
  ['What’s my plan and in which month does it renew?', ["what's my plan", 'in which month does it renew']],
  ['What did I pay for bread and butter?', []],
  ['Which plan am I on?', []],
  ['Cancel my plan and my invoice.', []],
  ['', []],
])('%s', (message, parts) => {
  expect(questionParts(message)).toEqual(parts);
});

test('reads a long message in linear time, and at most ten parts', () => {
  const message = 'what is my plan and '.repeat(5_000);
  const before = performance.now();
  expect(questionParts(message)).toHaveLength(10);
  expect(performance.now() - before).toBeLessThan(1_000);
});
