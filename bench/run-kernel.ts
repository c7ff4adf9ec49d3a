/**
 * `npm run bench:kernel [-- --json] [--rounds N]`: the kernel's cost per step beside its peers', and what plan
 * verification costs at growing sizes. It reports and asserts nothing; only something that did not run is a failure.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CONTENDERS } from './contenders/contenders.ts';
import { installPeers, pinnedPeers } from './harness/install.ts';
import { measureInRounds } from './harness/rounds.ts';
import { summarize } from './harness/summary.ts';
import { table } from './harness/table.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = fileURLToPath(new URL('measure-one.ts', import.meta.url));

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${options.rounds} is no number of rounds`);

installPeers(FOLDER);
const medians = measureInRounds(PROGRAM, [...CONTENDERS.keys()], rounds);
const summary = summarize(medians);
console.log(table(medians, summary, pinnedPeers(FOLDER)));
if (options.json) console.log(JSON.stringify(summary));
