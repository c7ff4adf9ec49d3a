/**
 * `npm run bench:durable`: measures a durable step of the complete product against the raw store, its size on disk, and
 * the time to resume. It asserts nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneOf, optionsOf, wholeNumber } from '../scripts/command-line/read-options.ts';
import type { Growth } from './durable/growth.ts';
import type { ResumeTimes } from './durable/resume.ts';
import type { Speed } from './durable/step-track.ts';
import { durableSummary, durableTable, type Measurements } from './durable/summary.ts';
import { type Contender, contender } from './durable/two-in-turn.ts';

const PROGRAM = fileURLToPath(new URL('measure-durable.ts', import.meta.url));

const HELP = `Measures durable steps against a raw store. Ambit: 32 sessions on one SQLite file, every step durable before the
next, with all gateway layers and policies. Raw store: one row of 256 bytes per step, with group commit.
Takes a minute or two and some hundred MB, and asserts nothing.

Usage: npm run bench:durable [-- options]

  --rounds N   measurements of one second each, in turn (default 10)
  --writer W   writer of the SQLite file: thread or inline (default thread)
  --dir DIR    folder on the disk to measure (default: the system's temporary folder)
  --json       print the result as one line of JSON after the table
  --help       print this help

Examples:
  npm run bench:durable
  npm run bench:durable -- --rounds 20 --dir /mnt/disk --writer inline
  npm run --silent bench:durable -- --json | tail -n 1`;

const COMMAND = {
  name: 'npm run bench:durable',
  help: HELP,
  flags: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '10' },
    writer: { type: 'string', default: 'thread' },
    dir: { type: 'string', default: tmpdir() },
  },
} as const;
const options = optionsOf(COMMAND);
const rounds = wholeNumber(COMMAND, 'rounds', options.rounds, 1);
const writer = oneOf(COMMAND, 'writer', options.writer, ['inline', 'thread']);

/** Runs a measurement in a new folder, so that nothing is left over from the one before. */
async function inNewFolder<T>(use: (folder: string) => T): Promise<Awaited<T>> {
  const folder = mkdtempSync(join(options.dir, 'bench-durable-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const measured = <T>(name: string): Promise<T> =>
  inNewFolder((folder) => {
    const printed = execFileSync(process.execPath, [PROGRAM, name, folder], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as T;
  });

/**
 * Warm-up steps. The first measurement is of a process that has just started; the others are of a warm one, because
 * compilation competes for the same cores until then.
 */
const JUST_STARTED = 12_000;
const WARM = 100_000;
const HEAT_MS = 1_000;

type Speeds = Pick<Measurements, 'ambit' | 'raw' | 'cold'>;

/** Measures both in turn, a second each, because a temporary slowdown affects both. */
async function measureInTurn(ours: Contender, limit: Contender): Promise<Speeds> {
  await limit.warmUp(JUST_STARTED);
  await ours.warmUp(JUST_STARTED);
  const cold = await ours.measure(HEAT_MS);
  console.error(`bench: ${cold.stepsPerS.toFixed(0)} steps/s right after the start; warming up with ${WARM} steps`);
  await ours.warmUp(WARM);
  const ambit: Speed[] = [];
  const raw: Speed[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [theirs, mine] = [await limit.measure(HEAT_MS), await ours.measure(HEAT_MS)];
    raw.push(theirs);
    ambit.push(mine);
    console.error(`bench: round ${round}/${rounds} ${mine.stepsPerS.toFixed(0)} steps/s, raw store ${theirs.stepsPerS.toFixed(0)}`);
  }
  return { ambit, raw, cold };
}

const speeds = await inNewFolder((ourFolder) =>
  inNewFolder(async (rawFolder) => {
    const ours = contender(PROGRAM, ['ambit', ourFolder, writer]);
    const limit = contender(PROGRAM, ['raw', rawFolder]);
    const found = await measureInTurn(ours, limit);
    await Promise.all([ours.end(), limit.end()]);
    return found;
  }),
);
const found: Measurements = {
  ...speeds,
  writer,
  growth: await measured<Growth>('growth'),
  resume: await measured<ResumeTimes>('resume'),
};
console.log(durableTable(found));
if (options.json) console.log(JSON.stringify(durableSummary(found)));
