import { Stop } from '../fault/stop.ts';
import { Name } from '../json/name.ts';
import { type EventShapes, eventShapes } from './event-shape.ts';

/** Events in the environment of a run. */
export interface WorldEvents {
  run_reloaded: { readonly writer: string };
  time_passed: Readonly<Record<never, never>>;
  stop_raised: { readonly stop: Stop };
}

export const WORLD_EVENTS: EventShapes<WorldEvents> = eventShapes<WorldEvents>()({
  run_reloaded: { writer: Name },
  time_passed: {},
  stop_raised: { stop: Stop },
});
