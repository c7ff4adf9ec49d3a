import type { Claim } from '../claim.ts';
import type { JsonObject } from '../json.ts';
import type { MemoryProposal, MemoryRuling } from '../memory.ts';
import type { RevocationOutcome } from '../revocation.ts';
import type { SessionStatus } from '../session-status.ts';
import type { TerminalCode } from '../terminal-code.ts';

/** How a run ends, and what is kept of it. */
export interface EndEvents {
  /** What came of having the credentials of a run revoked, because it is confirmed that they are in the wrong hands. */
  credentials_revoked: {
    readonly revocation_id: string;
    readonly outcome: RevocationOutcome;
    readonly detail: string;
  };
  response_compiled: { readonly claims: readonly Claim[]; readonly text: string };
  memory_proposed: {
    readonly proposals: readonly MemoryProposal[];
    /** Present where there is a memory to write to: who rules on them. */
    readonly validator?: string;
  };
  memory_ruled: { readonly rulings: readonly MemoryRuling[] };
  memory_written: {
    readonly written: readonly string[];
    readonly failed: readonly { readonly entry_id: string; readonly reason: string }[];
  };
  run_terminated: {
    readonly code: TerminalCode;
    readonly reason: string;
    readonly detail: JsonObject;
    readonly status: SessionStatus;
    readonly suppressed: readonly TerminalCode[];
    readonly record: string;
  };
}
