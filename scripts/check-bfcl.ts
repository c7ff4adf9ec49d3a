/**
 * `npm run check:bfcl`: offers the function calls of a BFCL file to an agent, and counts valid calls that were refused
 * and invalid ones that reached a tool. Exits with 1 if there are any.
 */
import { readCases } from './bfcl/cases.ts';
import { tally } from './bfcl/tally.ts';
import { optionsOf } from './command-line/read-options.ts';

const HELP = `Offers function calls to an agent, each in a separate run, and counts wrong answers of the gateway.

Usage: npm run check:bfcl -- --data FILE [--json]

  --data FILE  cases of the Berkeley function-calling leaderboard, one JSON object per line, may be gzipped. A case has
               tools (name, description, input_schema), gold_calls and invalid_calls (function, args).
  --json       print the counts as one line of JSON at the end
  --help       print this help

Examples:
  npm run check:bfcl -- --data schema_cases.jsonl.gz
  npm run --silent check:bfcl -- --data cases.jsonl --json | tail -n 1`;

const options = optionsOf({
  name: 'npm run check:bfcl',
  help: HELP,
  flags: { data: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const cases = options.data === undefined ? 'missing' : readCases(options.data);
if (typeof cases === 'string') {
  const where = options.data === undefined ? '' : ` at ${options.data}`;
  console.error(
    `npm run check:bfcl: --data needs a file with BFCL cases, one JSON object per line${where}: ${cases}; see --help`,
  );
  process.exit(2);
}

const { counts, mistakes } = await tally(cases, (done) => {
  if (done % 200 === 0 || done === cases.length) console.error(`${done} of ${cases.length} cases`);
});
for (const { id, tool, kind } of mistakes) console.log(`${id}: ${tool} was ${kind}`);
console.log(`${counts.valid} valid calls, ${counts.false_rejects} of them refused`);
console.log(`${counts.invalid} invalid calls, ${counts.false_accepts} of them accepted`);
if (options.json) console.log(JSON.stringify(counts));
process.exitCode = mistakes.length === 0 ? 0 : 1;
