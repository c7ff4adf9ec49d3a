import type { EndEvents } from './end-events.ts';
import type { ForkEvents } from './fork-events.ts';
import type { IntakeEvents } from './intake-events.ts';
import type { LaneEvents } from './lane-events.ts';
import type { ModelEvents } from './model-events.ts';
import type { PeopleEvents } from './people-events.ts';
import type { PlanEvents } from './plan-events.ts';
import type { SessionEvents, WorldEvents } from './session-events.ts';
import type { StepEvents } from './step-events.ts';

/**
 * Every event that can happen to a run. A name is a noun and a past verb. The journal consists of events, and the
 * kernel derives all its knowledge from them.
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

/** An event before the loop adds the time. */
export type EventBody = { [T in EventType]: { readonly type: T } & EventBodies[T] }[EventType];
