/** Compares the pages on graphs and autonomy with the drawing, the guards and the graphs of the source. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GUARD_NAMES } from '../../src/kernel/graph/guard-names.ts';
import { toMermaid } from '../../src/kernel/graph/mermaid.ts';
import { PLAN_FIRST, STANDARD_GRAPHS } from '../../src/kernel/graph/standard-graphs.ts';

const read = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const rowsOf = (page: string): string[] => page.split('\n').filter((line) => line.startsWith('| '));
const guide = read('reference/graphs.md');

test('shows the drawing of plan-first', () => {
  expect(/```mermaid\n(?<text>.*?)```/s.exec(guide)?.groups?.['text']).toBe(toMermaid(PLAN_FIRST));
});

test('lists the guards of the source with their meaning', () => {
  const guards = Object.entries(GUARD_NAMES).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  expect(rowsOf(guide).filter((row) => /^\| `[a-z_]+@\d+` \|/.test(row))).toEqual(guards);
});

test('lists the graphs of the source with their tier', () => {
  const listed = rowsOf(read('concepts/autonomy.md')).flatMap((row) => {
    const { tier, name } = /^\| (?<tier>\d) \| `(?<name>[a-z_]+)` \|/.exec(row)?.groups ?? {};
    return tier === undefined ? [] : [[name, Number(tier)]];
  });
  expect(listed).toEqual(Object.values(STANDARD_GRAPHS).map(({ name, tier }) => [name, tier]));
});
