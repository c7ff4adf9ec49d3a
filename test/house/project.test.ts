/** Proves that the repository passes its own rules, and that plan.ts, package.json and the docs say the same. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkProject } from '../../scripts/house/check.ts';
import { measure } from '../../scripts/house/figures.ts';
import { ENTRIES, FOLDERS, PROGRAM, THREADS } from '../../scripts/house/plan.ts';
import { readProject } from '../../scripts/house/read.ts';

const root = new URL('../..', import.meta.url).pathname;
const project = readProject(root);
const violations = checkProject(project);

test('the repository passes every rule', () => {
  const broken = violations.map(({ rule, path, line, message }) => `${path}:${line} [${rule}] ${message}`);
  expect(broken).toEqual([]);
});

test('every figure is found in the repository', () => {
  const { double_names, private_words, ...others } = measure(project);
  expect([double_names, private_words].every(Number.isInteger)).toBe(true);
  for (const value of Object.values(others)) expect(value).toBeGreaterThan(0);
});

test('package.json and knip.json list exactly the entries of plan.ts', () => {
  const manifest: { bin: unknown; exports: Record<string, unknown> } = JSON.parse(
    readFileSync(`${root}/package.json`, 'utf8'),
  );
  const sources = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'default' in entry
      ? [String(entry.default).replace('./dist/', 'src/').replace(/\.js$/, '.ts')]
      : [],
  );
  expect(sources).toEqual(ENTRIES);
  expect(manifest.bin).toEqual({ ambit: PROGRAM.replace('src/', './dist/').replace(/\.ts$/, '.js') });
  const knip: { workspaces: { '.': { entry: string[] } } } = JSON.parse(readFileSync(`${root}/knip.json`, 'utf8'));
  const entries = knip.workspaces['.'].entry.filter((entry) => entry.startsWith('src/'));
  // The exclamation mark makes an entry count in production mode.
  expect(entries).toEqual([...ENTRIES, PROGRAM, ...THREADS].map((entry) => `${entry}!`));
});

test('docs/architecture.md shows every folder of plan.ts with the folders it may import', () => {
  const text = readFileSync(`${root}/docs/architecture.md`, 'utf8');
  const rows = text.matchAll(/^\| `(?<folder>[a-z]+)\/` \|.*\|(?<imports>[^|]*)\|$/gm);
  const shown = Array.from(rows, ({ groups }) => [groups?.['folder'], groups?.['imports']?.trim()]);
  const planned = Object.entries(FOLDERS).map(([folder, { mayImport }]) => [folder, mayImport.join(', ')]);
  expect(shown).toEqual(planned);
});
