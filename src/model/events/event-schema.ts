import { z } from 'zod';
import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';
import { JsonValue } from '../json/exact.ts';
import { JSON_LIMITS, type JsonLimits } from '../json/json.ts';
import { Instant } from '../json/name.ts';
import { parse } from '../json/parse.ts';
import { END_EVENTS } from './end-events.ts';
import type { EventBody, EventType, RunEvent } from './event.ts';
import { FORK_EVENTS } from './fork-events.ts';
import { INTAKE_EVENTS } from './intake-events.ts';
import { LANE_EVENTS } from './lane-events.ts';
import { MODEL_EVENTS } from './model-events.ts';
import { PEOPLE_EVENTS } from './people-events.ts';
import { PLAN_EVENTS } from './plan-events.ts';
import { SESSION_EVENTS, WORLD_EVENTS } from './session-events.ts';
import { STEP_EVENTS } from './step-events.ts';

/** The schema of every field of every event. The checks in `event-fields.ts` are derived from it. */
export const EVENT_SHAPES: { readonly [T in EventType]: z.ZodRawShape } = {
  ...INTAKE_EVENTS,
  ...PLAN_EVENTS,
  ...STEP_EVENTS,
  ...LANE_EVENTS,
  ...FORK_EVENTS,
  ...PEOPLE_EVENTS,
  ...SESSION_EVENTS,
  ...MODEL_EVENTS,
  ...WORLD_EVENTS,
  ...END_EVENTS,
};

const schemas = (stamp: z.core.$ZodLooseShape): ReadonlyMap<string, z.ZodType> =>
  new Map(
    Object.entries(EVENT_SHAPES).map(([type, shape]) => [
      type,
      z.strictObject({ type: z.literal(type), ...stamp, ...shape }),
    ]),
  );

const EVENTS = schemas({ at: Instant });
const BODIES = schemas({});

/** Parses an event from a file or another machine. */
export const parseEvent: (value: unknown) => RunEvent = guardInput('parseEvent', (value: unknown): RunEvent => {
  return parse(schemaFor(EVENTS, value), value, 'event_invalid') as RunEvent;
});

/** Parses an event that has no time yet; the loop adds the time. */
export const parseEventBody: (value: unknown) => EventBody = guardInput(
  'parseEventBody',
  (value: unknown): EventBody => {
    return parse(schemaFor(BODIES, value), value, 'event_invalid') as EventBody;
  },
);

/** The fields of each event that hold any JSON. */
const ANY_JSON: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(EVENT_SHAPES).map(([type, shape]) => [
    type,
    Object.keys(shape).filter((field) => shape[field] === JsonValue),
  ]),
);

/** An event may be somewhat deeper than the values in it, which were bounded on their own. */
const RECORDED_LIMITS: JsonLimits = Object.freeze({ ...JSON_LIMITS, depthMax: JSON_LIMITS.depthMax + 16 });

/**
 * Checks an event from a journal of another machine. Skips fields that hold any JSON: they record verbatim the answer
 * of a planner or a tool, including keys that `parse` refuses.
 */
export function assertRecordedEvent(value: unknown): void {
  const schema = schemaFor(EVENTS, value);
  const event = { ...(value as Record<string, unknown>) };
  for (const field of ANY_JSON.get(String(event['type'])) ?? []) {
    if (event[field] !== undefined) event[field] = null;
  }
  parse(schema, event, 'event_invalid', RECORDED_LIMITS);
}

/** Selects the schema of the event's type, so that problems refer to that type and not to a union of all types. */
function schemaFor(table: ReadonlyMap<string, z.ZodType>, value: unknown): z.ZodType {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const schema = typeof type === 'string' ? table.get(type) : undefined;
  if (schema !== undefined) return schema;
  throw new Fault('event_invalid', '/type: there is no such event', { path: '/type' });
}
