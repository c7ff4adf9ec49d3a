/** Tests the stored mutants, and how a mutant is read, placed and chosen. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { faultsOf, type Mutant, mutate, readMutants } from '../../scripts/mutants/mutant.ts';
import { sample } from '../../scripts/mutants/sample.ts';
import { readCatalogue } from '../../scripts/requirements/catalogue.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

const MUTANT: Mutant = { id: 'area:one', file: 'src/a.ts', from: 'a < b', to: 'a > b', test: 'src/a.test.ts' };

test('every stored mutant has its anchor in the source once, and names a test that cites its requirement', () => {
  const { mutants, faults } = readMutants(ROOT);
  expect([...faults, ...faultsOf(mutants, ROOT)]).toEqual([]);
});

test('every proven requirement has a mutant, and every mutant has a requirement', () => {
  const proven = readFileSync(join(ROOT, 'test/requirements/proven.txt'), 'utf8').split('\n').filter(Boolean);
  const stored = new Set(readMutants(ROOT).mutants.map(({ id }) => id));
  expect(proven.filter((id) => !stored.has(id))).toEqual([]);
  const known = new Set(readCatalogue().map(({ id }) => id));
  expect([...stored].filter((id) => !known.has(id))).toEqual([]);
});

test('a mutant whose anchor is gone, repeated or unchanged names its requirement', () => {
  expect(mutate('return a < b;', MUTANT)).toEqual({ text: 'return a > b;', fault: null });
  expect(mutate('return $a < b;', { ...MUTANT, to: '$&' }).text).toBe('return $$&;');
  expect(mutate('return b > a;', MUTANT).fault).toBe(
    'the mutant of "area:one" does not fit: src/a.ts does not contain "a < b"; update its anchor',
  );
  expect(mutate('a < b && a < b', MUTANT).fault).toContain('more than once; use a longer anchor');
  expect(mutate('a < b', { ...MUTANT, to: 'a < b' }).fault).toContain('it changes nothing');
  expect(mutate(null, MUTANT).fault).toContain('src/a.ts does not exist');
});

test('a mutant names a test that exists and cites its requirement, and is the only one of its id', () => {
  const root = tree({ 'src/a.ts': 'a < b', 'src/a.test.ts': "verifies('area:one', …)", 'src/b.test.ts': '' });
  expect(faultsOf([MUTANT, MUTANT], root)).toEqual(['"area:one" has two mutants; keep one']);
  expect(faultsOf([{ ...MUTANT, test: 'src/b.test.ts' }], root)[0]).toContain('src/b.test.ts does not cite it');
  expect(faultsOf([{ ...MUTANT, test: 'src/c.test.ts' }], root)[0]).toContain('src/c.test.ts does not exist');
});

test('a file holds the mutants of its area, one per line', () => {
  const line = JSON.stringify(MUTANT);
  expect(readMutants(tree({ 'test/mutants/area.jsonl': `${line}\n` }))).toEqual({ mutants: [MUTANT], faults: [] });
  const lines = { 'test/mutants/other.jsonl': `${line}\n`, 'test/mutants/area.jsonl': '{"id":"area:one"}\n' };
  expect(readMutants(tree(lines)).faults).toEqual([
    expect.stringContaining('test/mutants/area.jsonl: line 1 is not a case (file: '),
    'test/mutants/other.jsonl: the mutant of "area:one" belongs to another file',
  ]);
});

test('a sample depends on its seed and on nothing else', () => {
  const mutants = Array.from({ length: 100 }, (_, at) => ({ ...MUTANT, id: `area:${at}` }));
  const chosen = sample(mutants, 10, '2026-11-20');
  expect(new Set(chosen).size).toBe(10);
  expect(sample(mutants.toReversed(), 10, '2026-11-20')).toEqual(chosen);
  expect(sample(mutants, 10, '2026-11-21')).not.toEqual(chosen);
});

function tree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'ambit-mutants-tree-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}
