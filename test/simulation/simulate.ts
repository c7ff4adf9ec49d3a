/**
 * `npm run simulate -- --seeds 10000 [--from 1] [--json]` runs many seeds, on every core, and says how they ended.
 * `npm run simulate -- --seed 42 --verbose` runs one and tells its story.
 */
import { parseArgs } from 'node:util';
import { SIMULATOR } from './parts.ts';
import { describeBroken, EMPTY, type Summary, tally } from './summary.ts';
import { sweepOnAllCores } from './threads.ts';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const started = performance.now();
const summary =
  options.seed === undefined
    ? await sweepOnAllCores(wholeNumber('from', options.from), wholeNumber('seeds', options.seeds))
    : tellOne(wholeNumber('seed', options.seed));
for (const run of summary.broken.slice(0, 20)) console.log(describeBroken(run));
const { seeds, events, codes, broken } = summary;
const ms = Math.round(performance.now() - started);
for (const [code, count] of Object.entries(codes).sort(([, a], [, b]) => b - a)) console.log(`${count}\t${code}`);
console.log(`${seeds} seeds, ${events} events, ${broken.length} broke a law, ${ms} ms`);
if (options.json) console.log(JSON.stringify({ seeds, events, codes, broken, ms }));
process.exitCode = broken.length === 0 ? 0 : 1;

function tellOne(seed: number): Summary {
  return tally(EMPTY, SIMULATOR.run(seed, options.verbose ? console.log : undefined));
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${option} takes a whole number, not ${JSON.stringify(text)}`);
  process.exit(2);
}
