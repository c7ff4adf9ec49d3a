/** Compares the reference page with the laws of the simulator. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RUN_LAWS, type Witness } from '../../src/testing/simulator/laws/law.ts';
import { EVENT_LAWS } from '../../src/testing/simulator/laws/laws.ts';

const PAGE = readFileSync(new URL('../../docs/reference/simulator-laws.md', import.meta.url), 'utf8');

test('the table lists every law', () => {
  const witness = { scenario: { pins: { env: { limits: {} } } }, tools: {} } as unknown as Witness;
  const laws = new Set([...EVENT_LAWS.map((lawOf) => lawOf(witness).name), ...Object.values(RUN_LAWS)]);
  const named = Array.from(PAGE.matchAll(/^\| `(?<law>[a-z ]+)` \|/gm), ({ groups }) => groups?.['law'] ?? '');
  expect(new Set(named)).toEqual(laws);
  expect(named).toHaveLength(laws.size);
});
