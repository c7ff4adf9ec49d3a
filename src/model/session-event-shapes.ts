import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { PackRef } from './context.ts';
import type { SessionEvents } from './events/session-events.ts';
import { DecisionProof } from './gate.ts';
import { Instant, Name, Statement, Text } from './name.ts';

const PinsShape = z.strictObject({ pack_pin: PackRef, snapshot_pin: Name });

/** What the journal may hold of what operators do to a session. */
export const SESSION_EVENT_SHAPES: {
  readonly [T in keyof SessionEvents]: { readonly [F in keyof SessionEvents[T]]-?: z.ZodType };
} = {
  run_steered: { note: Statement, by: Name, proof: DecisionProof.exactOptional() },
  run_migrated: {
    from: PinsShape,
    to: PinsShape,
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
};
