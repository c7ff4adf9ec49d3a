import { z } from 'zod';
import { DecisionProof } from '../gate/gate.ts';
import { JsonValue } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { Count, type EventShapes, eventShapes } from './event-shape.ts';

/** Events that split one run into two. */
export interface ForkEvents {
  /** Starts a fork. Every event before this one is a verbatim copy from the parent run. */
  run_forked: {
    readonly run_id: string;
    readonly trace_id: string;
    readonly parent: ForkParent;
    /** Calls that change something are answered from recorded or declared answers and never sent. */
    readonly simulate: boolean;
    /** The past was imported, so reads are answered without a call too. Only with `simulate`. */
    readonly imported?: true;
    /** Declared answers of simulated calls, by tool name, used if there is no recorded answer. */
    readonly answers?: Readonly<Record<string, Json>>;
    readonly by: string;
    readonly reason: string;
    /** Proof of the person who allowed the fork to make real changes. */
    readonly proof?: DecisionProof;
  };
}

/** The origin of a fork: the parent run, the frame it was cut in, and the verdict right after the cut. */
export interface ForkParent {
  readonly run_id: string;
  readonly frame: number;
  readonly frame_hash: string;
  readonly checkpoint_id: string;
  /** The time in the parent run at the cut. */
  readonly at: number;
}

export const FORK_EVENTS: EventShapes<ForkEvents> = eventShapes<ForkEvents>()({
  run_forked: {
    run_id: Name,
    trace_id: Name,
    parent: z.strictObject({ run_id: Name, frame: Count, frame_hash: Name, checkpoint_id: Name, at: Instant }),
    simulate: z.boolean(),
    imported: z.literal(true).exactOptional(),
    answers: z.record(Name, JsonValue).exactOptional(),
    by: Name,
    reason: Text,
    proof: DecisionProof.exactOptional(),
  },
});
