/**
 * `npm run requirements`: see HELP.
 *
 * Runs both test tiers (or reads the reports of runs that have just ended) and lists the requirements they proved.
 * test/requirements/proven.txt keeps the proven ids and citing-tests.txt how many tests cite each; neither may shrink.
 */
import { optionsOf } from './command-line/read-options.ts';
import { readCatalogue } from './requirements/catalogue.ts';
import { collectCitations } from './requirements/collect-citations.ts';
import { extendKept, readKept } from './requirements/kept.ts';
import type { Report } from './requirements/report.ts';
import { readReports, runTests } from './requirements/run-tests.ts';
import { settle } from './requirements/settle.ts';
import { thinProofs } from './requirements/thin.ts';

const HELP = `Lists which requirements the tests prove, and exits with 1 if one has lost its proof.

Usage: npm run requirements [-- options]

It runs both test tiers, which takes minutes; progress goes to stderr.

  --json          one line of JSON at the end: { total, cited, pending }, with --thin { thin }
  --update        adds newly proven ids and higher numbers of citing tests to the lists in test/requirements
  --thin          lists the requirements that only unit tests in src/ cite, and their files; runs no test
  --report FILE   reads this report of a run that has just ended and runs no test; once per tier
  --help          this page

Examples:
  npm run requirements
  npm run requirements -- --update
  npm run requirements -- --thin
  AMBIT_TEST_REPORT=/tmp/quick.json npm test; npm run requirements -- --report /tmp/quick.json
  npm run --silent requirements -- --json | tail -n 1`;

const STDERR = 2;

const options = optionsOf({
  name: 'npm run requirements',
  help: HELP,
  flags: {
    json: { type: 'boolean' },
    update: { type: 'boolean' },
    thin: { type: 'boolean' },
    report: { type: 'string', multiple: true },
  },
});

process.exitCode = options.thin === true ? await listThin() : check();

async function listThin(): Promise<number> {
  const thin = thinProofs(await collectCitations());
  for (const { id, files } of thin) console.log(`thin ${id}  ${files.join(', ')}`);
  console.log(`requirements: ${thin.length} cited only by unit tests`);
  if (options.json === true) console.log(JSON.stringify({ thin: thin.map(({ id }) => id) }));
  return 0;
}

function check(): number {
  const { report, output } =
    options.report === undefined
      ? runTests([], { progressTo: STDERR })
      : { report: readReports(options.report), output: '' };
  if (report === null) {
    if (options.report === undefined) {
      console.error(`${output}requirements: the test run wrote no report`);
      return 1;
    }
    const missing = options.report.find((file) => readReports([file]) === null);
    console.error(
      `npm run requirements: ${missing} is not a report; write one with AMBIT_TEST_REPORT=${missing} npm test`,
    );
    return 2;
  }
  return compare(report);
}

/** Compares a report with the catalogue and with the requirements proven before, and prints the difference. */
function compare(report: Report): number {
  const kept = readKept();
  const found = settle({ ...kept, catalogue: readCatalogue(), citations: report.citations });
  for (const id of found.pending) console.log(`pending ${id}`);
  for (const fault of found.faults) console.log(`fault: ${fault}`);
  if (report.failed > 0 || report.broken.length > 0)
    console.log(`note: ${report.failed} failed tests and ${report.broken.length} other errors in this run`);
  for (const message of report.broken) console.log(`note: ${message}`);
  if (options.update === true) extendKept(kept, found);
  else if (found.fresh.length > 0)
    console.log(`${found.fresh.length} newly proven; add them with: npm run requirements -- --update`);
  const { total, cited, pending } = found;
  console.log(`requirements: ${cited.length} cited, ${pending.length} pending, ${total} total`);
  if (options.json === true) console.log(JSON.stringify({ total, cited: cited.length, pending }));
  return found.faults.length > 0 ? 1 : 0;
}
