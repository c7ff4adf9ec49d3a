/**
 * `node bench/measure-durable.ts NAME FOLDER`: makes one measurement of the embedded store in this process and prints
 * it as JSON. To profile it: `node --cpu-prof bench/measure-durable.ts ambit FOLDER`, or `… ambit FOLDER thread`. As a
 * child process with an IPC channel, it takes steps on order of its parent.
 */
import { fileURLToPath } from 'node:url';
import { stepTrack } from './durable/step-track.ts';
import { growth } from './durable/growth.ts';
import { resumeTimes, stopAfter } from './durable/resume.ts';
import { ambitSteps, rawSteps } from './durable/steps.ts';
import { serveMeasurer } from './durable/two-in-turn.ts';

const [name = '', folder = '.', ...rest] = process.argv.slice(2);
const track = stepTrack();
const RACES = new Map<string, () => Promise<void>>([
  ['ambit', () => ambitSteps(folder, track, rest[0] === 'thread' ? 'thread' : 'inline')],
  ['raw', () => rawSteps(folder, track)],
]);
const MEASUREMENTS = new Map<string, () => Promise<unknown>>([
  ['growth', () => growth(folder)],
  ['resume', () => resumeTimes(folder, 12, fileURLToPath(import.meta.url))],
  ['stop', () => stopAfter(folder, rest[0] === 'change' ? 'change' : 'read', Number(rest[1]), Number(rest[2]))],
]);

async function race(run: () => Promise<void>): Promise<unknown> {
  const ended = run();
  if (process.send !== undefined) {
    serveMeasurer(track);
    await ended;
    return null;
  }
  await track.warmUp(12_000);
  const speed = await track.measure(3_000);
  track.end();
  await ended;
  return speed;
}

const racing = RACES.get(name);
const measure = racing === undefined ? MEASUREMENTS.get(name) : () => race(racing);
if (measure === undefined)
  throw new Error(`no measurement "${name}"; there are ${[...RACES.keys(), ...MEASUREMENTS.keys()].join(', ')}`);
console.log(JSON.stringify(await measure()));
// Stopped runs are left as by a process that dies; they would also keep this process alive.
if (name === 'stop') process.kill(process.pid, 'SIGKILL');
process.exit(0);
