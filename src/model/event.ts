import type { EndEvents } from './events/end-events.ts';
import type { ForkEvents } from './events/fork-events.ts';
import type { IntakeEvents } from './events/intake-events.ts';
import type { LaneEvents } from './events/lane-events.ts';
import type { ModelEvents } from './events/model-events.ts';
import type { PeopleEvents } from './events/people-events.ts';
import type { PlanEvents } from './events/plan-events.ts';
import type { SessionEvents } from './events/session-events.ts';
import type { StepEvents } from './events/step-events.ts';
import type { WorldEvents } from './events/world-events.ts';

/**
 * Everything that can happen to a run. A name is a noun and a past verb; a body is what was learned.
 * Events are the journal: whatever the kernel knows, it knows from them.
 */
export interface EventBodies
  extends IntakeEvents,
    PlanEvents,
    StepEvents,
    LaneEvents,
    ForkEvents,
    PeopleEvents,
    SessionEvents,
    ModelEvents,
    WorldEvents,
    EndEvents {}

export type EventType = keyof EventBodies;
export type EventOf<T extends EventType> = { readonly type: T; readonly at: number } & EventBodies[T];
export type RunEvent = { [T in EventType]: EventOf<T> }[EventType];

/** An event before the loop has stamped it with the time. */
export type EventBody = { [T in EventType]: { readonly type: T } & EventBodies[T] }[EventType];
