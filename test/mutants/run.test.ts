/** Shows on a small tree what a mutant tells about its tests. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Mutant } from '../../scripts/mutants/mutant.ts';
import { type Outcome, runMutants } from '../../scripts/mutants/run-mutants.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const CITED = 'budget:zero-cap:denies-action-not-run';
const BROKEN = 'budget:steps:unit-fits-graph-path';

const SOURCE = `/** Adds. */
export function add(a: number, b: number): number {
  let sum = a;
  for (let left = b; left > 0; left -= 1) sum += 1;
  return sum;
}
`;

const TEST = `import { expect, test } from 'vitest';
import { verifies } from '../test/requirements/verifies.ts';
import { add } from './add.ts';

verifies('${CITED}', 'adds', () => expect(add(1, 2)).toBe(3));
verifies('${BROKEN}', 'is wrong', () => expect(add(1, 2)).toBe(4));
test('cites nothing', () => expect(add(2, 2)).toBe(4));
`;

/** A tree with one source file, its test, and the helper for citations. */
function smallTree(): string {
  const root = mkdtempSync(join(tmpdir(), 'ambit-small-tree-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'src'));
  for (const file of ['vitest.config.ts', 'package.json', 'test/requirements.jsonl'])
    cpSync(join(ROOT, file), join(root, file));
  for (const folder of ['test/requirements', 'scripts/requirements'])
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'src/add.ts'), SOURCE);
  writeFileSync(join(root, 'src/add.test.ts'), TEST);
  return root;
}

const mutant = (change: Partial<Mutant>): Mutant => ({
  id: CITED,
  file: 'src/add.ts',
  from: 'let sum = a;',
  to: 'let sum = a + 1;',
  test: 'src/add.test.ts',
  ...change,
});

test('a mutant is killed, survives, or is a fault that gives the reason', async () => {
  const root = smallTree();
  const outcomes: Outcome[] = [];
  await runMutants(
    [
      mutant({}),
      mutant({ from: '/** Adds. */', to: '' }),
      mutant({ from: 'left > 0', to: 'left > Number.NEGATIVE_INFINITY' }),
      mutant({}),
      mutant({ from: 'let sum', to: 'let let' }),
      mutant({ id: BROKEN }),
      mutant({ id: 'budget:vector:eleven-plus-steps' }),
    ],
    { root, workers: 1, limitMs: 4_000, onOutcome: (outcome) => outcomes.push(outcome) },
  );
  expect(outcomes.map(({ state, why }) => [state, why])).toEqual([
    ['killed', 'a citing test failed'],
    ['survived', 'every citing test passed'],
    ['killed', 'the test did not end within 4 s'],
    ['killed', 'a citing test failed'],
    ['fault', expect.stringContaining('no citing test ran with this change of src/add.ts: ')],
    ['fault', 'src/add.test.ts fails without the mutant'],
    ['fault', 'no test of src/add.test.ts cites "budget:vector:eleven-plus-steps"'],
  ]);
  expect(readFileSync(join(root, 'src/add.ts'), 'utf8')).toBe(SOURCE);
});
