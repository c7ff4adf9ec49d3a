/**
 * `npm run bench:kernel`: the kernel's cost per step beside its peers', and what plan
 * verification costs at growing sizes. It reports and asserts nothing; only something that did not run is a failure.
 */
import { fileURLToPath } from 'node:url';
import { optionsOf, wholeNumber } from '../scripts/command-line/read-options.ts';
import { CONTENDERS } from './contenders/contenders.ts';
import { installPeers, pinnedPeers } from './harness/install.ts';
import { measureInRounds } from './harness/rounds.ts';
import { summarize } from './harness/summary.ts';
import { table } from './harness/table.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = fileURLToPath(new URL('measure-one.ts', import.meta.url));

const HELP = `Measures what one step of the kernel costs beside its peers. It reports and asserts nothing.

Usage: npm run bench:kernel [-- options]

It takes a few minutes. The first run installs the peers into bench/.

  --rounds N   how often each contender is measured (default 3)
  --json       the result as one line of JSON after the table
  --help       this page

Examples:
  npm run bench:kernel
  npm run bench:kernel -- --rounds 5
  npm run --silent bench:kernel -- --json | tail -n 1`;

const COMMAND = {
  name: 'npm run bench:kernel',
  help: HELP,
  flags: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
} as const;
const options = optionsOf(COMMAND);
const rounds = wholeNumber(COMMAND, 'rounds', options.rounds, 1);

installPeers(FOLDER);
const medians = measureInRounds(PROGRAM, [...CONTENDERS.keys()], rounds);
const summary = summarize(medians);
console.log(table(medians, summary, pinnedPeers(FOLDER)));
if (options.json) console.log(JSON.stringify(summary));
