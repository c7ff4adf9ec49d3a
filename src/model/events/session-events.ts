import { z } from 'zod';
import { Pins } from '../evidence/context.ts';
import { Stop } from '../fault/terminal-code.ts';
import { DecisionProof } from '../gate/gate.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import { Instant, Name, Statement, Text } from '../json/name.ts';
import { MigratedTools } from '../tool/tool-change.ts';
import { type EventShapes, eventShapes } from './event-shape.ts';

/** Operator actions on a running session. */
export interface SessionEvents {
  /** A note for the planner. The next plan request shows it with the name of its author. */
  run_steered: { readonly note: string; readonly by: string; readonly proof?: DecisionProof };
  /** The session continues with another pack or snapshot, with newer tools, or with both. */
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
    /** Absent if the tools stay. With equal pins, the context of the run stays too. */
    readonly tools?: MigratedTools;
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
    tools: MigratedTools.exactOptional(),
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
