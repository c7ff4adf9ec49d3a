import { expect, test } from 'vitest';
import { answerTextReader } from './answer-text.ts';
import type { EventBody, RunEvent } from './event.ts';

const pieces = (...events: readonly EventBody[]): readonly string[] => {
  const read = answerTextReader();
  return events.flatMap((event) => read({ ...event, at: 1 } as RunEvent) ?? []);
};

const released = (text: string): EventBody => ({
  type: 'sentence_released',
  index: 0,
  text,
  form: 'stated',
  fields: [],
});
const compiled = (text: string): EventBody => ({ type: 'response_compiled', claims: [], text });
const ended = (status: 'completed' | 'failed'): EventBody => ({
  type: 'run_terminated',
  code: status === 'completed' ? 'SUCCESS' : 'IMPOSSIBLE',
  reason: 'goal_met',
  detail: {},
  status,
  suppressed: [],
  record: 'sha256:0',
});

test('separates sentences with a space, and tables with line breaks', () => {
  const table = '| Number | Total |\n|---|---|\n| INV-7 | 49.90 |';
  expect(pieces(released('One.'), released('Two.'), released(table), released('Three.'), ended('completed'))).toEqual([
    'One.',
    ' Two.',
    `\n\n${table}`,
    '\n\nThree.',
  ]);
});

test('an answer without a composer is released at the end, as it was compiled last', () => {
  expect(pieces(compiled('Draft.'), compiled('Final.'), ended('completed'))).toEqual(['Final.']);
});

test('a run that fails, or whose sentences are released, does not release the compiled text', () => {
  expect(pieces(compiled('Draft.'), ended('failed'))).toEqual([]);
  expect(pieces(compiled('One.'), released('One.'), ended('completed'))).toEqual(['One.']);
});
