/**
 * `npm run bench:durable`: what a durable step of the whole product costs beside the raw store in the same run, what it
 * leaves on the disk, and how long resuming takes. It reports and asserts nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneOf, optionsOf, wholeNumber } from '../scripts/command-line/read-options.ts';
import type { Growth } from './durable/growth.ts';
import type { ResumeTimes } from './durable/resume.ts';
import type { Speed } from './durable/steps.ts';
import { durableSummary, durableTable, type Measurements } from './durable/summary.ts';

const PROGRAM = fileURLToPath(new URL('measure-durable.ts', import.meta.url));

const HELP = `Measures durable steps: 32 sessions over one SQLite file, every step on the disk before the next, the whole
gateway with policies on. Beside it the raw store: one row of 256 bytes a step, with group commit. It asserts nothing.

Usage: npm run bench:durable [-- options]

  --rounds N   how often each is measured, in turn (default 3)
  --writer W   who writes to the file: a thread, or inline (default thread)
  --dir DIR    where the files are made: the disk that is measured (default: the system's folder for such files)
  --json       the result as one line of JSON after the table
  --help       this page

Examples:
  npm run bench:durable
  npm run bench:durable -- --rounds 5 --dir /mnt/disk --writer inline
  npm run --silent bench:durable -- --json | tail -n 1`;

const COMMAND = {
  name: 'npm run bench:durable',
  help: HELP,
  flags: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    writer: { type: 'string', default: 'thread' },
    dir: { type: 'string', default: tmpdir() },
  },
} as const;
const options = optionsOf(COMMAND);
const rounds = wholeNumber(COMMAND, 'rounds', options.rounds, 1);
const writer = oneOf(COMMAND, 'writer', options.writer, ['inline', 'thread']);

/** In a new process and a new folder, so that nothing is left over from the measurement before. */
function measured<T>(name: string, ...more: readonly string[]): T {
  const folder = mkdtempSync(join(options.dir, 'bench-durable-'));
  try {
    const printed = execFileSync(process.execPath, [PROGRAM, name, folder, ...more], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as T;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ambit: Speed[] = [];
const raw: Speed[] = [];
for (let round = 1; round <= rounds; round += 1) {
  raw.push(measured<Speed>('raw'));
  ambit.push(measured<Speed>('ambit', writer));
  const [limit, ours] = [raw.at(-1)?.stepsPerS ?? 0, ambit.at(-1)?.stepsPerS ?? 0];
  console.error(`bench: round ${round}/${rounds} ${ours.toFixed(0)} steps/s, raw store ${limit.toFixed(0)}`);
}
const found: Measurements = {
  ambit,
  raw,
  writer,
  growth: measured<Growth>('growth'),
  resume: measured<ResumeTimes>('resume'),
};
console.log(durableTable(found));
if (options.json) console.log(JSON.stringify(durableSummary(found)));
