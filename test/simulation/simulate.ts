/**
 * `npm run simulate -- --seeds 10000 [--from 1] [--json]` runs many seeds, on every core, and says how they ended.
 * `npm run simulate -- --seed 42 --verbose` runs one and tells its story.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { SIMULATOR } from './parts.ts';
import { addUp, describeBroken, EMPTY, type Summary, tally } from './summary.ts';

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
  options.seed === undefined ? await sweep(Number(options.from), Number(options.seeds)) : tellOne(Number(options.seed));
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

/** Seeds have nothing to do with each other, so each core takes a share. */
async function sweep(from: number, count: number): Promise<Summary> {
  const workers = Math.min(availableParallelism(), count);
  const share = Math.ceil(count / workers);
  const parts = Array.from({ length: workers }, (_, index) => {
    const first = index * share;
    return runShare(from + first, Math.min(share, count - first));
  });
  return (await Promise.all(parts)).reduce(addUp, EMPTY);
}

function runShare(from: number, count: number): Promise<Summary> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { from, count } });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
