/**
 * `node bench/measure-durable.ts NAME FOLDER`: one measurement of the embedded store in this process, as JSON.
 * To see where the time goes: `node --cpu-prof bench/measure-durable.ts ambit FOLDER`, or `… ambit FOLDER thread`.
 */
import { growth } from './durable/growth.ts';
import { fileURLToPath } from 'node:url';
import { resumeTimes, stopAfter } from './durable/resume.ts';
import { ambitSteps, type Pace, rawSteps } from './durable/steps.ts';

const [name = '', folder = '.', ...rest] = process.argv.slice(2);
const pace: Pace = { warmUpSteps: 12_000, timedMs: 3_000 };
const MEASUREMENTS = new Map<string, () => Promise<unknown>>([
  ['ambit', () => ambitSteps(folder, pace, rest[0] === 'thread' ? 'thread' : 'inline')],
  ['raw', () => rawSteps(folder, pace)],
  ['growth', () => growth(folder)],
  ['resume', () => resumeTimes(folder, 12, fileURLToPath(import.meta.url))],
  ['stop', () => stopAfter(folder, Number(rest[0]), Number(rest[1]))],
]);
const measure = MEASUREMENTS.get(name);
if (measure === undefined) throw new Error(`no measurement "${name}"; there are ${[...MEASUREMENTS.keys()].join(', ')}`);
console.log(JSON.stringify(await measure()));
// Runs that were made to stand still are left as a process leaves them that dies; and they would keep it alive.
if (name === 'stop') process.kill(process.pid, 'SIGKILL');
process.exit(0);
