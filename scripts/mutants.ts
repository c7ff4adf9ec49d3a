/**
 * `npm run mutants`: breaks one line of `src/` at a time and checks that a test that cites the requirement notices.
 *
 * Mutants are stored in test/mutants, one per proven requirement. See HELP.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { optionsOf, wholeNumber } from './command-line/read-options.ts';
import { keptResults } from './mutants/kept-results.ts';
import { type Mutant, readMutants } from './mutants/mutant.ts';
import { type Outcome, runMutants } from './mutants/run-mutants.ts';
import { sample } from './mutants/sample.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** Longer than the time limit of one test, which ends a test that waits. This one ends a test that never yields. */
const LIMIT_MS = 120_000;

const HELP = `Breaks one line of the source at a time, and exits with 1 if no test that cites the requirement notices.

Usage: npm run mutants [-- options]

It runs every mutant of test/mutants in a copy of the tree. Progress goes to stderr.

  --id ID        only the mutant of this requirement, or of every requirement with this prefix; may be repeated
  --sample N     only N mutants, chosen by the seed
  --seed TEXT    the seed of the sample (default: today's date)
  --workers N    how many copies of the tree work at a time (default: one per core)
  --resume       leaves out mutants that were killed over the same source and tests
  --json         one line of JSON at the end: { ids, killed, survived, faults, missing }
  --help         this page

Examples:
  npm run mutants -- --id budget:steps:default-cap
  npm run mutants -- --id budget: --workers 1
  npm run mutants -- --sample 25 --seed 2026-11-20
  npm run --silent mutants -- --json | tail -n 1`;

const COMMAND = {
  name: 'npm run mutants',
  help: HELP,
  flags: {
    id: { type: 'string', multiple: true },
    sample: { type: 'string' },
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    workers: { type: 'string', default: String(availableParallelism()) },
    resume: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
} as const;
const options = optionsOf(COMMAND);
process.once('SIGINT', () => process.exit(130));
process.exitCode = await main();

async function main(): Promise<number> {
  const { mutants, faults } = readMutants(ROOT);
  const unknown = options.id?.filter((id) => chosenBy([id], mutants).length === 0) ?? [];
  const problems = [...faults, ...unknown.map((id) => `no mutant of test/mutants has the id ${id}`)];
  for (const problem of problems) console.error(`${COMMAND.name}: ${problem}`);
  if (problems.length > 0) return 2;
  const chosen = choose(mutants);
  const outcomes = await run(chosen);
  const idsOf = (wanted: Outcome['state']): readonly string[] =>
    outcomes.filter(({ state }) => state === wanted).map(({ mutant }) => mutant.id);
  const [survived, unfit] = [idsOf('survived'), idsOf('fault')];
  const missing = options.id === undefined && options.sample === undefined ? idsWithoutMutant(mutants) : [];
  for (const outcome of outcomes) if (outcome.state !== 'killed') console.log(describe(outcome));
  if (missing.length > 0) console.log(`missing: ${missing.length} proven ids have no mutant, such as ${missing[0]}`);
  const killed = chosen.length - survived.length - unfit.length;
  console.log(`mutants: ${chosen.length} run, ${killed} killed, ${survived.length} survived, seed ${options.seed}`);
  const ids = chosen.length + missing.length;
  if (options.json) console.log(JSON.stringify({ ids, killed, survived, faults: unfit, missing }));
  return killed === ids ? 0 : 1;
}

function describe({ mutant: { id, file, from, to }, state, why }: Outcome): string {
  return `${state} ${id}: ${why}; in ${file}, ${JSON.stringify(from)} becomes ${JSON.stringify(to)}`;
}

/** Runs the mutants and returns their outcomes; those that an earlier run killed are left out on request. */
async function run(chosen: readonly Mutant[]): Promise<readonly Outcome[]> {
  const results = keptResults(ROOT);
  const due = options.resume ? chosen.filter((mutant) => !results.has(mutant)) : chosen;
  const outcomes: Outcome[] = [];
  await runMutants(due, {
    root: ROOT,
    workers: wholeNumber(COMMAND, 'workers', options.workers, 1),
    limitMs: LIMIT_MS,
    onOutcome: (outcome) => {
      outcomes.push(outcome);
      results.keep(outcome);
      console.error(`${outcomes.length}/${due.length} ${outcome.state} ${outcome.mutant.id} ${outcome.tookMs} ms`);
    },
  });
  return outcomes;
}

function choose(mutants: readonly Mutant[]): readonly Mutant[] {
  const named = options.id === undefined ? mutants : chosenBy(options.id, mutants);
  if (options.sample === undefined) return named;
  return sample(named, wholeNumber(COMMAND, 'sample', options.sample, 1), options.seed);
}

/** The mutants with one of the ids, or with an id that begins with a given prefix ending in a colon. */
function chosenBy(ids: readonly string[], mutants: readonly Mutant[]): readonly Mutant[] {
  return mutants.filter((mutant) =>
    ids.some((id) => mutant.id === id || (id.endsWith(':') && mutant.id.startsWith(id))),
  );
}

function idsWithoutMutant(mutants: readonly Mutant[]): readonly string[] {
  const stored = new Set(mutants.map(({ id }) => id));
  const text = readFileSync(new URL('../test/requirements/proven.txt', import.meta.url), 'utf8');
  return text.split('\n').filter((id) => id !== '' && !stored.has(id));
}
