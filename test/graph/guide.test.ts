/** The guide says what the code says: its drawing and its table of guards are those of the source. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GUARD_NAMES } from '../../src/kernel/graph/guard-names.ts';
import { toMermaid } from '../../src/kernel/graph/mermaid.ts';
import { PLAN_FIRST } from '../../src/kernel/graph/plan-first.ts';
import { STANDARD_GRAPHS } from '../../src/kernel/graph/standard-graphs.ts';

const guide = readFileSync(new URL('../../docs/guides/graphs.md', import.meta.url), 'utf8');
const rows = guide.split('\n').filter((line) => line.startsWith('| '));

test('the drawing is that of plan-first', () => {
  expect(/```mermaid\n(?<text>.*?)```/s.exec(guide)?.groups?.['text']).toBe(toMermaid(PLAN_FIRST));
});

test('the guards are those of the source, with their meaning', () => {
  const guards = Object.entries(GUARD_NAMES).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  expect(rows.filter((row) => /^\| `[a-z_]+@\d+` \|/.test(row))).toEqual(guards);
});

test('the graphs are those of the source, with their tier', () => {
  const listed = rows.flatMap((row) => {
    const { tier, name } = /^\| (?<tier>\d) \| `(?<name>[a-z_]+)` \|/.exec(row)?.groups ?? {};
    return tier === undefined ? [] : [[name, Number(tier)]];
  });
  expect(listed).toEqual(Object.values(STANDARD_GRAPHS).map(({ name, tier }) => [name, tier]));
});
