/** How a test looks at what a run recorded. */
import type { EventOf, EventType, RunEvent } from '../../../src/model/event.ts';

export function all<T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> & RunEvent => event.type === type);
}

export function first<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T> {
  const [event] = all(events, type);
  if (event === undefined) throw new Error(`no ${type} among ${events.map((each) => each.type).join(', ')}`);
  return event;
}
