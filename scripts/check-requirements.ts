/**
 * `npm run requirements`: see HELP.
 *
 * Runs the whole suite (or reads the report of a run that has just ended) and says which requirements this run
 * proved. `--update` keeps newly proven ids in test/requirements/proven.txt; an id in it may never lose its proof.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { optionsOf } from './command-line/read-options.ts';
import { readCatalogue } from './requirements/catalogue.ts';
import { readReport, runTests } from './requirements/run-tests.ts';
import { merge, settle } from './requirements/settle.ts';

const PROVEN = new URL('../test/requirements/proven.txt', import.meta.url);

const HELP = `Says which requirements this code proves, and exits with 1 if one has lost its proof.

Usage: npm run requirements [-- options]

It runs the whole suite, which takes minutes; how far it is goes to stderr.

  --json          one line of JSON at the end: { total, cited, pending }
  --update        keeps what is newly proven in test/requirements/proven.txt
  --report FILE   reads the report of a run that has just ended (AMBIT_TEST_REPORT=FILE npm test), and runs nothing
  --help          this page

Examples:
  npm run requirements
  npm run requirements -- --update
  npm run --silent requirements -- --json | tail -n 1`;

const STDERR = 2;

const options = optionsOf({
  name: 'npm run requirements',
  help: HELP,
  flags: { json: { type: 'boolean' }, update: { type: 'boolean' }, report: { type: 'string' } },
});

process.exitCode = main();

function main(): number {
  const proven = readFileSync(PROVEN, 'utf8').split('\n').filter(Boolean);
  const { report, output } =
    options.report === undefined
      ? runTests([], { progressTo: STDERR })
      : { report: readReport(options.report), output: '' };
  if (report === null) {
    if (options.report === undefined) {
      console.error(`${output}requirements: the test run left no report`);
      return 1;
    }
    console.error(
      `npm run requirements: ${options.report} holds no report; AMBIT_TEST_REPORT=${options.report} npm test writes one`,
    );
    return 2;
  }
  const catalogue = readCatalogue().map(({ id }) => id);
  const found = settle({ catalogue, proven, citations: report.citations });
  for (const id of found.pending) console.log(`pending ${id}`);
  for (const fault of found.faults) console.log(`fault: ${fault}`);
  if (report.failed > 0 || report.broken.length > 0)
    console.log(`note: ${report.failed} failed tests and ${report.broken.length} other errors in this run`);
  for (const message of report.broken) console.log(`note: ${message}`);
  if (options.update === true)
    writeFileSync(
      PROVEN,
      merge(proven, found.fresh)
        .map((id) => `${id}\n`)
        .join(''),
    );
  else if (found.fresh.length > 0)
    console.log(`${found.fresh.length} newly proven; keep them with: npm run requirements -- --update`);
  const { total, cited, pending } = found;
  console.log(`requirements: ${cited.length} cited, ${pending.length} pending, ${total} total`);
  if (options.json === true) console.log(JSON.stringify({ total, cited: cited.length, pending }));
  return found.faults.length > 0 ? 1 : 0;
}
