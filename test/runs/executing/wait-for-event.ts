import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventType } from '../../../src/model/events/event.ts';
import type { Rig } from '../rig.ts';

/** Waits until an event of this type is recorded. `send` itself returns only once the run is idle. */
export async function waitForEvent(bench: Pick<Rig, 'events'>, type: EventType): Promise<void> {
  while (!(await bench.events('run_1')).some((event) => event.type === type)) await nextTurn();
}
