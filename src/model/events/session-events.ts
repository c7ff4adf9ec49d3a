import type { Pins } from '../context.ts';
import type { DecisionProof } from '../gate.ts';
import type { Address } from '../hash.ts';

/** What operators do to a session that is under way. */
export interface SessionEvents {
  /** A note for whoever plans: shown with the next plan that is asked for, as the word of its author. */
  run_steered: { readonly note: string; readonly by: string; readonly proof?: DecisionProof };
  /** The session goes on with another pack or snapshot than it was started on. */
  run_migrated: {
    readonly from: Pins;
    readonly to: Pins;
    readonly memory_snapshot: Address | null;
    /** Evidence that the other context brings along: type to the id of the item. */
    readonly evidence: Readonly<Record<string, string>>;
    readonly fresh_until?: Readonly<Record<string, number>>;
    readonly context?: Address;
    readonly quarantined?: Readonly<Record<string, string>>;
    readonly untrusted_context?: readonly string[];
    readonly by: string;
    readonly reason: string;
    readonly proof?: DecisionProof;
  };
  /** Another process may drive from here on, although the one before had not let go of the session. */
  run_taken_over: {
    /** Who drove until now. */
    readonly from: string;
    readonly by: string;
    readonly reason: string;
    readonly proof?: DecisionProof;
  };
}
