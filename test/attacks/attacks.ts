/** `npm run attacks`: runs the standing attacks and counts the attempts that held. Exits with 1 if one did not. */
import { optionsOf } from '../../scripts/command-line/read-options.ts';
import { BATTERIES } from './batteries.ts';
import { type BatteryResult, runBattery } from './battery.ts';

const HELP = `Attacks the product through its public API, command line, adapters and store files.

Usage: npm run attacks -- [--battery NAME] [--json]

  --battery NAME  runs one battery (${BATTERIES.map(({ name }) => name).join(', ')})
  --json          prints the counts as one line of JSON at the end
  --help          prints this help

Examples:
  npm run attacks
  npm run attacks -- --battery approvals
  npm run --silent attacks -- --json | tail -n 1`;

const options = optionsOf({
  name: 'npm run attacks',
  help: HELP,
  flags: { battery: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const chosen = BATTERIES.filter(({ name }) => options.battery === undefined || name === options.battery);
if (chosen.length === 0) {
  console.error(
    `npm run attacks: there is no battery ${options.battery}; there are ${BATTERIES.map((b) => b.name).join(', ')}`,
  );
  process.exit(2);
}

const results = new Map<string, BatteryResult>();
for (const battery of chosen) {
  const result = await runBattery(battery);
  results.set(battery.name, result);
  console.log(`${battery.name.padEnd(12)} ${String(result.held).padStart(6)} of ${result.attempts} attempts held`);
  for (const { attack, why } of result.broken) console.log(`  BROKEN ${attack}: ${why}`);
}

const all = [...results.values()];
const sum = (count: (result: BatteryResult) => number): number => all.reduce((total, each) => total + count(each), 0);
const report = {
  attempts: sum(({ attempts }) => attempts),
  held: sum(({ held }) => held),
  broken: all.flatMap(({ broken }) => broken.map(({ attack }) => attack)),
  non_fault_errors: sum((result) => result.non_fault_errors),
  batteries: Object.fromEntries([...results].map(([name, { attempts, held }]) => [name, { attempts, held }])),
};
console.log(`${report.held} of ${report.attempts} attempts held, ${report.non_fault_errors} raw errors`);
if (options.json) console.log(JSON.stringify(report));
process.exit(report.broken.length === 0 && report.non_fault_errors === 0 ? 0 : 1);
