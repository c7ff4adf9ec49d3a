/**
 * `npm run bench:kernel`: measures the kernel's cost per step against its peers, and plan verification at growing
 * sizes. It asserts nothing and fails only if a measurement did not run.
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

const HELP = `Measures the cost of one kernel step against its peers. Asserts nothing.

Usage: npm run bench:kernel [-- options]

Takes a few minutes. The first run installs the peers into bench/.

  --rounds N   measurements of each contender (default 3)
  --json       print the result as one line of JSON after the table
  --help       print this help

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
