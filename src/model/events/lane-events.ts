import type { Json } from '../json.ts';
import type { LaneWait } from '../lane.ts';

/** What a run hears of the lanes it has opened. */
export interface LaneEvents {
  /** A lane has ended. The envelope is held to its schema here, where it comes in, and nowhere before. */
  lane_returned: { readonly call_id: string; readonly envelope: Json };
  /** A lane goes on only when people have decided something. */
  lane_suspended: { readonly call_id: string; readonly run_id: string; readonly waits: LaneWait };
}
