/**
 * `npm run check:tau`: does the tasks of suites in the format of tau-bench with a real runtime on real files, kills its
 * processes while it works, and counts what the world got too much or too little of. Exits with 1 if it is anything.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf, wholeNumber } from './command-line/read-options.ts';
import { workOff } from './tau/foreman.ts';
import { problemsIn, reportOf, summaryOf } from './tau/report.ts';
import { readSuites } from './tau/suite.ts';
import { PLANTS, type Plant } from './tau/tools.ts';

const HELP = `Does recorded tasks with a real runtime, and kills its processes while it works.

Usage: npm run check:tau -- --data FOLDER [--kills N] [--seed N] [--abreast N] [--plant FAULT] [--json]

  --data FOLDER   suites in the format of tau-bench: <suite>_db.json, <suite>_tools.json, <suite>_…_tasks.json
  --kills N       processes to kill with SIGKILL, spread over the tasks (0); tasks are done again until all are dealt out
  --seed N        which tasks, which places and which instants (1)
  --abreast N     tasks at the same time, each with a journal and a world of its own (two for each core)
  --plant FAULT   breaks the tools on purpose, to see that the check notices: twice, lost
  --json          the counts as one line of JSON at the end
  --help          this page

Examples:
  npm run check:tau -- --data tau
  npm run check:tau -- --data tau --kills 2000
  npm run --silent check:tau -- --data tau --kills 200 --seed 7 --json | tail -n 1`;

const command = {
  name: 'npm run check:tau',
  help: HELP,
  flags: {
    data: { type: 'string' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    abreast: { type: 'string', default: String(2 * availableParallelism()) },
    plant: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
} as const;

const options = optionsOf(command);
const kills = wholeNumber(command, 'kills', options.kills, 0);
const seed = wholeNumber(command, 'seed', options.seed, 0);
const abreast = wholeNumber(command, 'abreast', options.abreast, 1);
const plant = PLANTS.find((known) => known === options.plant) ?? null;
if (options.plant !== undefined && plant === null) refuse(`--plant takes ${PLANTS.join(' or ')}, not ${options.plant}`);
const data = options.data ?? refuse('--data FOLDER names a folder with suites: it was not given');
const suites = readSuites(data);
if (typeof suites === 'string') refuse(`--data FOLDER names a folder with suites: ${suites}`);
else process.exitCode = await check(suites, plant).catch(failed);

async function check(found: Exclude<typeof suites, string>, fault: Plant | null): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-tau-'));
  const begun = performance.now();
  const shift = { data, suites: found, folder, kills, seed, abreast, plant: fault, progress: tellNowAndThen() };
  const done = await workOff(shift);
  const problems = problemsIn(done);
  for (const line of [...problems, ...summaryOf(done, (performance.now() - begun) / 1_000)]) console.log(line);
  // Whoever has to find out why needs the journals and the worlds.
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`journals and worlds are left in ${folder}`);
  if (options.json) console.log(JSON.stringify(reportOf(done)));
  return problems.length === 0 ? 0 : 1;
}

function tellNowAndThen(): (line: string) => void {
  let told = performance.now();
  return (line) => {
    if (performance.now() - told < 5_000) return;
    told = performance.now();
    console.error(line);
  };
}

/** A process that ends by itself is a fault of the runtime or of this check, and not a count. */
function failed(error: unknown): number {
  console.error(`npm run check:tau: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}

function refuse(why: string): never {
  console.error(`npm run check:tau: ${why}; see --help`);
  process.exit(2);
}
