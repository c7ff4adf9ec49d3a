/**
 * `node bench/measure-replay.ts NAME FOLDER [RUNS]`: makes one measurement of reading in this process and prints it as
 * JSON. To profile it: `node --cpu-prof bench/measure-replay.ts length FOLDER`.
 */
import { costByLength } from './replay/length.ts';
import { costInStore } from './replay/store.ts';

const [name = '', folder = '.', runs = '1000'] = process.argv.slice(2);
const MEASUREMENTS = new Map<string, () => Promise<unknown>>([
  ['length', () => costByLength(folder)],
  ['store', () => costInStore(folder, Number(runs))],
]);
const measure = MEASUREMENTS.get(name);
if (measure === undefined) throw new Error(`no measurement "${name}"; there are ${[...MEASUREMENTS.keys()].join(', ')}`);
console.log(JSON.stringify(await measure()));
