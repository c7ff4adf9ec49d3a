import { z } from 'zod';
import { Pins } from '../evidence/context.ts';
import { Stop } from '../fault/terminal-code.ts';
import { DecisionProof } from '../gate/gate.ts';
import { JsonValue } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { Instant, Name, Statement, Text } from '../json/name.ts';
import { Count, type EventShapes, eventShapes } from './event-shape.ts';

/** Operator actions on a running session. */
export interface SessionEvents {
  /** A note for the planner. The next plan request shows it with the name of its author. */
  run_steered: { readonly note: string; readonly by: string; readonly proof?: DecisionProof };
  /** The session continues with another pack or snapshot. */
  run_migrated: {
    readonly from: Pins;
    readonly to: Pins;
    readonly memory_snapshot: Address | null;
    /** Evidence from the new context: evidence type to item id. */
    readonly evidence: Readonly<Record<string, string>>;
    readonly fresh_until?: Readonly<Record<string, number>>;
    readonly context?: Address;
    readonly quarantined?: Readonly<Record<string, string>>;
    readonly untrusted_context?: readonly string[];
    readonly by: string;
    readonly reason: string;
    readonly proof?: DecisionProof;
  };
  /** Another process takes over the session, although the previous one has not released it. */
  run_taken_over: {
    /** The process that drove the session until now. */
    readonly from: string;
    readonly by: string;
    readonly reason: string;
    readonly proof?: DecisionProof;
  };
}

export const SESSION_EVENTS: EventShapes<SessionEvents> = eventShapes<SessionEvents>()({
  run_steered: { note: Statement, by: Name, proof: DecisionProof.exactOptional() },
  run_migrated: {
    from: Pins,
    to: Pins,
    memory_snapshot: ContentAddress.nullable(),
    evidence: z.record(Name, Name),
    fresh_until: z.record(Name, Instant).exactOptional(),
    context: ContentAddress.exactOptional(),
    quarantined: z.record(Name, z.string()).exactOptional(),
    untrusted_context: z.array(Name).exactOptional(),
    by: Name,
    reason: Text,
    proof: DecisionProof.exactOptional(),
  },
  run_taken_over: { from: Name, by: Name, reason: Text, proof: DecisionProof.exactOptional() },
});

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

/** Events that split one run into two. */
export interface ForkEvents {
  /** Starts a fork. Every event before this one is a verbatim copy from the parent run. */
  run_forked: {
    readonly run_id: string;
    readonly trace_id: string;
    readonly parent: ForkParent;
    /** Calls that change something are answered from recorded or declared answers and never sent. */
    readonly simulate: boolean;
    /** Declared answers of tools that change something, by tool name, used if there is no recorded answer. */
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
    answers: z.record(Name, JsonValue).exactOptional(),
    by: Name,
    reason: Text,
    proof: DecisionProof.exactOptional(),
  },
});
