import type { DecisionProof } from '../gate.ts';
import type { Json } from '../json.ts';

/** How one run becomes two. */
export interface ForkEvents {
  /** From here on it is another run: whatever stands before happened to its parent, word for word. */
  run_forked: {
    readonly run_id: string;
    readonly trace_id: string;
    readonly parent: ForkParent;
    /** Calls that change something are answered from what is on record or declared, and never sent. */
    readonly simulate: boolean;
    /** What tools that change something are taken to answer, by name, where the record has no answer. */
    readonly answers?: Readonly<Record<string, Json>>;
    readonly by: string;
    readonly reason: string;
    /** Who let it change things for real. */
    readonly proof?: DecisionProof;
  };
}

/** Where a fork comes from: the run, the frame it was cut in, and the verdict right before which it was. */
export interface ForkParent {
  readonly run_id: string;
  readonly frame: number;
  readonly frame_hash: string;
  readonly checkpoint_id: string;
  /** The time it was there. */
  readonly at: number;
}
