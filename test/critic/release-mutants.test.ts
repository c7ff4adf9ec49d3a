/** Changes one part of each released sentence of the labelled sets: the release check must not release the result. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AnswerCase, readAnswerCases } from '../../scripts/answers/tally.ts';
import { checkSentence } from '../../src/critic/release/release-check.ts';
import { isJsonList, isJsonObject, type Json } from '../../src/model/json/json.ts';
import { type Mutant, mutantsOf } from './mutate-sentence.ts';

const FIXTURES = new URL('../fixtures/answers/', import.meta.url).pathname;

const cases = readdirSync(FIXTURES).flatMap((name): readonly AnswerCase[] => {
  const read = readAnswerCases(FIXTURES + name);
  if (typeof read === 'string') throw new Error(`${name}: ${read}`);
  return read;
});

/** The names of a value, grouped by their key: names of one key can be mistaken for each other. */
function namesIn(value: Json, key: string, groups: Map<string, Set<string>>): void {
  if (typeof value === 'string' && /^\p{Lu}/u.test(value) && value.length < 40)
    groups.set(key, (groups.get(key) ?? new Set()).add(value));
  else if (isJsonList(value)) for (const child of value) namesIn(child, key, groups);
  else if (isJsonObject(value)) for (const [name, child] of Object.entries(value)) namesIn(child, name, groups);
}

function* releasedMutants(): Generator<Mutant> {
  for (const { request, facts, sentences } of cases) {
    const groups = new Map<string, Set<string>>();
    for (const { value } of facts) namesIn(value, '', groups);
    const right = new Set(sentences.filter(({ supported }) => supported).map(({ text }) => text));
    for (const { text, refs, supported } of sentences) {
      const isReleased = (form: string): boolean =>
        checkSentence({ text: form, request, facts, refs }).ruling === 'proven';
      if (!supported || refs.length === 0 || !isReleased(text)) continue;
      for (const mutant of mutantsOf(
        text,
        [...groups.values()].map((names) => [...names]),
      ))
        if (!right.has(mutant.text) && isReleased(mutant.text)) yield mutant;
    }
  }
}

/**
 * The mutants that stay released. Most of them are still right, such as "more than 41" for 42 and "none" for a null; with
 * the same sentences, the numbers may only shrink.
 */
const RELEASED: Readonly<Record<string, number>> = {
  name: 9,
  negation: 2,
  number: 2,
  preposition: 3,
};

test('releases no sentence with a changed number, unit, name, negation, preposition or conjunction', {
  timeout: 120_000,
}, () => {
  const tally: Record<string, number> = {};
  for (const { kind } of releasedMutants()) tally[kind] = (tally[kind] ?? 0) + 1;
  expect(tally).toEqual(RELEASED);
});
