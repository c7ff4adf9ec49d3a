import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliPage } from '../../scripts/reference/cli-page.ts';
import { EXITS } from '../../src/cli/command.ts';
import { FAULTS } from '../../src/model/index.ts';

test('docs/reference/cli.md matches the command table; run npm run docs:cli after a change', () => {
  expect(readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8')).toBe(cliPage());
});

test('exit codes are unique and differ from those of faults', () => {
  const faults = new Set(Object.values(FAULTS).map(({ exit }) => exit as number));
  const own = Object.values(EXITS).map(({ exit }) => exit as number);
  expect(own.filter((exit) => faults.has(exit))).toEqual([]);
  expect(new Set(own).size).toBe(own.length);
});
