import { JsonValue } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';
import { LaneWait } from '../run/lane.ts';
import { type EventShapes, eventShapes } from './event-shape.ts';

/** Events from the lanes that a run has opened. */
export interface LaneEvents {
  /** A lane has ended. The envelope is checked against its schema only here, when it arrives. */
  lane_returned: { readonly call_id: string; readonly envelope: Json };
  /** A lane waits for decisions of people before it continues. */
  lane_suspended: { readonly call_id: string; readonly run_id: string; readonly waits: LaneWait };
}

export const LANE_EVENTS: EventShapes<LaneEvents> = eventShapes<LaneEvents>()({
  lane_returned: { call_id: Name, envelope: JsonValue },
  lane_suspended: { call_id: Name, run_id: Name, waits: LaneWait },
});
