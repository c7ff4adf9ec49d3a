/**
 * `npm run bench:injection`: runs AgentDojo suites with a planner that obeys every injection it reads, under six
 * policies. Exits with 1 if, with or without a reader, an injected effect happened without approval or fewer tasks end
 * correctly than with a gate on every mode, or if people approve more calls with a reader than with such a gate.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { optionsOf } from './command-line/read-options.ts';
import { brokenPromises, reportOf, tableOf } from './injection/report.ts';
import { readSuites } from './injection/suites.ts';
import { type SuiteTallies, tallySuite } from './injection/tally.ts';

const HELP = `Runs tasks and attacks under six policies, with a planner that obeys every injection it reads.

Usage: npm run bench:injection -- --data FOLDER [--json]

  --data FOLDER  suites in AgentDojo format: tools.json, user_tasks.json, injection_tasks.json, pairs.json,
                 environments.json
  --json         print the totals as one line of JSON at the end
  --help         print this help

Examples:
  npm run bench:injection -- --data agentdojo
  npm run --silent bench:injection -- --data agentdojo --json | tail -n 1`;

const options = optionsOf({
  name: 'npm run bench:injection',
  help: HELP,
  flags: { data: { type: 'string' }, json: { type: 'boolean', default: false } },
});
if (options.data === undefined || !existsSync(join(options.data, 'pairs.json'))) {
  const found = options.data === undefined ? 'missing' : `${options.data} has no pairs.json`;
  console.error(`npm run bench:injection: --data needs a folder with suites: ${found}; see --help`);
  process.exit(2);
}

const tallies: SuiteTallies[] = [];
for (const suite of readSuites(options.data)) {
  tallies.push(await tallySuite(suite, (policy) => console.error(`${suite.name}: ${policy}`)));
}
console.log(tableOf(tallies));
const broken = tallies.flatMap(({ suite, policies }) => brokenPromises(policies).map((what) => `${suite}: ${what}`));
for (const line of broken) console.log(`\nBROKEN ${line}`);
if (options.json) console.log(JSON.stringify(reportOf(tallies)));
process.exitCode = broken.length === 0 ? 0 : 1;
