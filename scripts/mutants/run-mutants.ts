import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyTree } from './copy-tree.ts';
import type { TestResult } from './messages.ts';
import { type Mutant, mutate } from './mutant.ts';
import { startTestProcess, type TestProcess } from './start-test-process.ts';

/**
 * The result of one mutant: `killed` if a citing test failed or took too long, `survived` if all citing tests passed,
 * `fault` if the mutant says nothing about its tests.
 */
export interface Outcome {
  readonly mutant: Mutant;
  readonly state: 'killed' | 'survived' | 'fault';
  readonly why: string;
  readonly tookMs: number;
}

export interface RunOptions {
  /** The tree that the mutants belong to. */
  readonly root: string;
  readonly workers: number;
  /** The time limit of the tests of one mutant. */
  readonly limitMs: number;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** The tests of all mutants of a file, with the start of the process, have this many times the limit of one mutant. */
const SOUND_LIMITS = 5;

/** Runs every mutant against the tests that cite its id, in copies of the tree. */
export async function runMutants(mutants: readonly Mutant[], options: RunOptions): Promise<void> {
  const files = Map.groupBy(mutants, ({ test }) => test);
  const queue = [...files.values()].sort((a, b) => b.length - a.length);
  const workers = Array.from({ length: Math.min(options.workers, queue.length) }, async () => {
    const copy = copyTree(options.root);
    const tests = startTestProcess(copy.path);
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        await runFile(next, copy.path, tests, options);
    } finally {
      await tests.end();
      copy.remove();
    }
  });
  await Promise.all(workers);
}

/** The mutants of one test file: first their tests run over the sound source, then over each mutant. */
async function runFile(
  mutants: readonly Mutant[],
  copy: string,
  tests: TestProcess,
  { limitMs, onOutcome }: RunOptions,
): Promise<void> {
  const test = mutants[0]?.test ?? '';
  const ids = mutants.map(({ id }) => id);
  const sound = await tests.execute({ test, ids }, limitMs * SOUND_LIMITS);
  for (const mutant of mutants) {
    const startedMs = performance.now();
    const judged = soundFault(sound, mutant) ?? (await runMutant(mutant, copy, tests, limitMs));
    onOutcome({ mutant, ...judged, tookMs: Math.round(performance.now() - startedMs) });
  }
}

type Judged = Pick<Outcome, 'state' | 'why'>;

async function runMutant(mutant: Mutant, copy: string, tests: TestProcess, limitMs: number): Promise<Judged> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, 'utf8');
  const { text, fault } = mutate(source, mutant);
  if (fault !== null) return { state: 'fault', why: fault };
  writeFileSync(path, text);
  tests.noteChange(mutant.file);
  try {
    const result = await tests.execute({ test: mutant.test, ids: [mutant.id] }, limitMs);
    return judge(result, mutant, limitMs);
  } finally {
    writeFileSync(path, source);
    tests.noteChange(mutant.file);
  }
}

/** Null if the tests that cite the id pass over the sound source. */
function soundFault(result: TestResult | null, { id, test }: Mutant): Judged | null {
  if (result === null) return { state: 'fault', why: `${test} takes too long without the mutant` };
  const [error] = result.errors;
  if (error !== undefined) return { state: 'fault', why: `${test} has an error without the mutant: ${error}` };
  const cited = result.tests.filter(({ ids }) => ids.includes(id));
  if (cited.length === 0) return { state: 'fault', why: `no test of ${test} cites "${id}"` };
  if (cited.some(({ state }) => state === 'failed')) return { state: 'fault', why: `${test} fails without the mutant` };
  return null;
}

function judge(result: TestResult | null, { id, file }: Mutant, limitMs: number): Judged {
  if (result === null) return { state: 'killed', why: `the test did not end within ${Math.round(limitMs / 1000)} s` };
  const cited = result.tests.filter(({ ids }) => ids.includes(id));
  if (cited.some(({ state }) => state === 'failed')) return { state: 'killed', why: 'a citing test failed' };
  if (cited.length > 0) return { state: 'survived', why: 'every citing test passed' };
  return { state: 'fault', why: `no citing test ran with this change of ${file}: ${result.errors[0] ?? 'no error'}` };
}
