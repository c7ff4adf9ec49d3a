import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventType } from '../../../src/model/event.ts';
import type { Rig } from '../rig.ts';

/** Whoever decides about a run hears of it when the run rests; that it is decided is on record before. */
export async function onRecord(bench: Pick<Rig, 'events'>, type: EventType): Promise<void> {
  while (!(await bench.events('run_1')).some((event) => event.type === type)) await nextTurn();
}
