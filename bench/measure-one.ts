/**
 * `node bench/measure-one.ts NAME`: measures one contender in this process and prints the result as JSON. To profile
 * it: `node --cpu-prof bench/measure-one.ts ambit`.
 */
import { CONTENDERS } from './contenders/contenders.ts';
import { measure } from './harness/measure.ts';

/** CPU time. The slowest peer needs two seconds until its code is optimised. */
const DURATION = { warmUpMs: 2_000, timedMs: 1_000 };

const name = process.argv[2] ?? '';
const entry = CONTENDERS.get(name);
if (entry === undefined) throw new Error(`no contender "${name}"; there are ${[...CONTENDERS.keys()].join(', ')}`);
console.log(JSON.stringify(await measure(await entry.load(), DURATION)));
