/**
 * `npm run simulate` runs many seeds on every core and prints how they ended, or runs one seed and prints its events.
 */
import { optionsOf, wholeNumber } from '../../scripts/command-line/read-options.ts';
import { SIMULATOR } from './parts.ts';
import { describeBroken, EMPTY, type Summary, tally } from './summary.ts';
import { sweepOnAllCores } from './threads.ts';

const HELP = `Runs whole sessions in a seeded world that lies, stalls and dies, and checks the laws after every event.

Usage: npm run simulate [-- options]

  --seeds N    how many seeds, on every core (default 1000)
  --from N     the first of them (default 1)
  --seed N     this one alone
  --verbose    with --seed: its story, event by event
  --json       one line of JSON at the end
  --help       this page

It exits with 1 if a law was broken.

Examples:
  npm run simulate -- --seeds 10000
  npm run simulate -- --seeds 500 --from 20001 --json
  npm run simulate -- --seed 42 --verbose`;

const COMMAND = {
  name: 'npm run simulate',
  help: HELP,
  flags: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
} as const;
const options = optionsOf(COMMAND);
if (options.seed === undefined ? options.verbose : options.seeds !== undefined || options.from !== undefined) {
  const why =
    options.seed === undefined
      ? '--verbose tells the story of one seed: say which with --seed N'
      : '--seed N runs this one alone: leave --seeds and --from out';
  console.error(`${COMMAND.name}: ${why}`);
  process.exit(2);
}

const started = performance.now();
const summary =
  options.seed === undefined
    ? await sweepOnAllCores(
        wholeNumber(COMMAND, 'from', options.from ?? '1', 0),
        wholeNumber(COMMAND, 'seeds', options.seeds ?? '1000', 1),
      )
    : printRun(wholeNumber(COMMAND, 'seed', options.seed, 0));
for (const run of summary.broken.slice(0, 20)) console.log(describeBroken(run));
const { seeds, events, codes, broken } = summary;
const ms = Math.round(performance.now() - started);
for (const [code, count] of Object.entries(codes).sort(([, a], [, b]) => b - a)) console.log(`${count}\t${code}`);
console.log(`${seeds} seeds, ${events} events, ${broken.length} broke a law, ${ms} ms`);
if (options.json) console.log(JSON.stringify({ seeds, events, codes, broken, ms }));
process.exitCode = broken.length === 0 ? 0 : 1;

function printRun(seed: number): Summary {
  return tally(EMPTY, SIMULATOR.run(seed, options.verbose ? console.log : undefined));
}
