/**
 * `npm run simulate -- --seeds 10000 [--from 1] [--json]` runs many seeds and says how they ended.
 * `npm run simulate -- --seed 42 --verbose` tells the story of one.
 */
import { parseArgs } from 'node:util';
import type { SimulatedRun } from '../../src/testing/simulator/simulate.ts';
import { SIMULATOR } from './parts.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const started = performance.now();
const codes = new Map<string, number>();
const broken: SimulatedRun[] = [];
let events = 0;

const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
for (let seed = from; seed < from + count; seed += 1) {
  const run = SIMULATOR.run(seed, values.verbose ? console.log : undefined);
  events += run.events;
  const code = run.code ?? 'none';
  codes.set(code, (codes.get(code) ?? 0) + 1);
  if (run.violation !== null) {
    broken.push(run);
    if (broken.length <= 20)
      console.log(`seed ${seed} (${run.graph}) breaks "${run.violation.law}": ${run.violation.message}`);
  }
}
console.log(Object.fromEntries([...codes].sort(([, a], [, b]) => b - a)));
const laws = Map.groupBy(broken, (run) => run.violation?.law ?? '');
for (const [law, runs] of laws)
  console.log(
    law,
    runs.length,
    runs.slice(0, 5).map((r) => r.seed),
  );
console.log(`${count} seeds, ${events} events, ${broken.length} broken, ${Math.round(performance.now() - started)} ms`);
process.exitCode = broken.length === 0 ? 0 : 1;
