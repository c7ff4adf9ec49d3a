/** Helpers to read a run's recorded events. */
import type { EventOf, EventType, RunEvent } from '../../../src/model/events/event.ts';

export function eventsOfType<T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> & RunEvent => event.type === type);
}

export function firstEvent<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T> {
  const [event] = eventsOfType(events, type);
  if (event === undefined) throw new Error(`no ${type} among ${events.map((each) => each.type).join(', ')}`);
  return event;
}
