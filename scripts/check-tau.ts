/**
 * `npm run check:tau`: performs the tasks of tau-bench suites with a real runtime on real files, kills its processes
 * while it works, and counts duplicated and lost changes. Exits with 1 if there are any.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf, wholeNumber } from './command-line/read-options.ts';
import { performTasks } from './tau/perform-tasks.ts';
import { problemsIn, reportOf, summaryOf } from './tau/report.ts';
import { readSuites } from './tau/suite.ts';
import { PLANTED_FAULTS, type PlantedFault } from './tau/tools.ts';

const HELP = `Performs recorded tasks with a real runtime, and kills its processes while it works.

Usage: npm run check:tau -- --data FOLDER [--kills N] [--seed N] [--abreast N] [--plant FAULT] [--json]

  --data FOLDER   suites in tau-bench format: <suite>_db.json, <suite>_tools.json, <suite>_…_tasks.json
  --kills N       number of SIGKILLs, spread over the tasks (default 0); tasks are repeated until all are used
  --seed N        seed that chooses the tasks, crash points and times of the kills (default 1)
  --abreast N     number of parallel tasks, each with its own journal and world (default: two per core)
  --plant FAULT   plant a fault in the tools to test the check itself: twice, lost
  --json          print the counts as one line of JSON at the end
  --help          print this help

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
const plant = PLANTED_FAULTS.find((known) => known === options.plant) ?? null;
if (options.plant !== undefined && plant === null)
  refuse(`--plant takes ${PLANTED_FAULTS.join(' or ')}, not ${options.plant}`);
const data = options.data ?? refuse('--data needs a folder with suites: missing');
const suites = readSuites(data);
if (typeof suites === 'string') refuse(`--data needs a folder with suites: ${suites}`);
else process.exitCode = await check(suites, plant).catch(failed);

async function check(found: Exclude<typeof suites, string>, fault: PlantedFault | null): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-tau-'));
  const begun = performance.now();
  const shift = { data, suites: found, folder, kills, seed, abreast, plant: fault, progress: throttledProgress() };
  const done = await performTasks(shift);
  const problems = problemsIn(done);
  for (const line of [...problems, ...summaryOf(done, (performance.now() - begun) / 1_000)]) console.log(line);
  // The journals and worlds are needed to find the cause of a problem.
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`journals and worlds are kept in ${folder}`);
  if (options.json) console.log(JSON.stringify(reportOf(done)));
  return problems.length === 0 ? 0 : 1;
}

function throttledProgress(): (line: string) => void {
  let lastAt = performance.now();
  return (line) => {
    if (performance.now() - lastAt < 5_000) return;
    lastAt = performance.now();
    console.error(line);
  };
}

/** A process that exits by itself is a defect of the runtime or of this check, not a count. */
function failed(error: unknown): number {
  console.error(`npm run check:tau: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}

function refuse(why: string): never {
  console.error(`npm run check:tau: ${why}; see --help`);
  process.exit(2);
}
