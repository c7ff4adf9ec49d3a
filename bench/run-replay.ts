/**
 * `npm run bench:replay`: measures what reading costs: replay, verification, listings and pruning, by the length of a run
 * and the size of the store. It asserts nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionsOf, wholeNumber } from '../scripts/command-line/read-options.ts';
import type { Measurements } from './replay/summary.ts';
import { replaySummary, replayTable } from './replay/summary.ts';

const PROGRAM = fileURLToPath(new URL('measure-replay.ts', import.meta.url));

const HELP = `Measures the CPU time of reading recorded runs: replay, verification, listings and pruning, in stores of two
sizes. Takes a few minutes and some hundred MB, and asserts nothing.

Usage: npm run bench:replay [-- options]

  --runs N     runs of the smaller store; the larger one has ten times as many (default 1000)
  --dir DIR    folder on the disk to measure (default: the system's temporary folder)
  --json       print the result as one line of JSON after the table
  --help       print this help

Examples:
  npm run bench:replay
  npm run bench:replay -- --runs 200
  npm run --silent bench:replay -- --json | tail -n 1`;

const COMMAND = {
  name: 'npm run bench:replay',
  help: HELP,
  flags: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '1000' },
    dir: { type: 'string', default: tmpdir() },
  },
} as const;
const options = optionsOf(COMMAND);
const runs = wholeNumber(COMMAND, 'runs', options.runs, 1);

/** Makes a measurement in a process and a folder of its own. */
function measured<T>(...args: readonly string[]): T {
  const folder = mkdtempSync(join(options.dir, 'bench-replay-'));
  const [name = '', ...rest] = args;
  try {
    console.error(`bench: ${args.join(' ')}`);
    const printed = execFileSync(process.execPath, [PROGRAM, name, folder, ...rest], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as T;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const found: Measurements = {
  lengths: measured('length'),
  stores: [measured('store', `${runs}`), measured('store', `${runs * 10}`)],
};
console.log(replayTable(found));
if (options.json) console.log(JSON.stringify(replaySummary(found)));
