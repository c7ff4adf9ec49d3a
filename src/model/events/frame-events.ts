import { Fault } from '../fault/fault.ts';
import { inputFault } from '../fault/guard-input.ts';
import { printable } from '../json/printable.ts';
import type { RunEvent } from './event.ts';
import { malformedField } from './event-fields.ts';
import type { Frame } from './frame.ts';

type StoredEvents = Pick<Frame, 'session' | 'seq' | 'events'>;

/** The events of frames that were read before, because every derivation from a run reads its frames again. */
const READ = new WeakMap<StoredEvents, readonly RunEvent[]>();

/**
 * Returns the events of a stored frame. Each event is checked against the fields of its type, so that a frame that was
 * edited by hand or written by a defect is refused here, with its place, and not later by code that relies on a field.
 */
export function frameEvents(frame: StoredEvents): readonly RunEvent[] {
  try {
    const known = Object.isFrozen(frame) ? READ.get(frame) : undefined;
    if (known !== undefined) return known;
    const events = parseEvents(frame);
    READ.set(frame, events);
    return events;
  } catch (error) {
    throw inputFault('frameEvents', error);
  }
}

function parseEvents({ session, seq, events }: StoredEvents): readonly RunEvent[] {
  const list = listOf(events);
  if (list === null) throw malformed(session, seq, '', 'is not a list of events');
  for (let place = 0; place < list.length; place += 1) {
    const field = malformedField(list[place]);
    if (field !== null) throw malformed(session, seq, `/${place}/${field}`, whyNot(list[place], place, field));
  }
  return list as readonly RunEvent[];
}

function listOf(events: string): readonly unknown[] | null {
  try {
    const list: unknown = JSON.parse(events);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

const malformed = (session: string, seq: number, path: string, why: string): Fault =>
  new Fault('store_corrupt', `frame ${seq} of session ${session}: ${why}`, { path: `/frames/${seq}${path}` });

function whyNot(value: unknown, place: number, field: string): string {
  const event = Object(value) as Readonly<Record<string, unknown>>;
  const problem = event[field] === undefined ? 'is missing' : 'does not fit the schema of the event';
  const type = field === 'type' ? '' : ` (${printable(String(event['type']))})`;
  return `${field} of event ${place}${type} ${problem}`;
}
