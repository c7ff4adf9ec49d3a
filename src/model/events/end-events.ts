import { z } from 'zod';
import { Claim } from '../evidence/evidence.ts';
import { MemoryProposal, MemoryRuling } from '../evidence/memory.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Text } from '../json/name.ts';
import { SessionStatus } from '../run/session-status.ts';
import { RevocationOutcome } from '../tool/effect-outcome.ts';
import { AddressText, type EventShapes, eventShapes } from './event-shape.ts';

/** Events of the end of a run. */
export interface EndEvents {
  /** The result of revoking the credentials of a run after a confirmed compromise. */
  credentials_revoked: {
    readonly revocation_id: string;
    readonly outcome: RevocationOutcome;
    readonly detail: string;
  };
  response_compiled: { readonly claims: readonly Claim[]; readonly text: string };
  memory_proposed: {
    readonly proposals: readonly MemoryProposal[];
    /** The validator that rules on the proposals; present if there is a memory to write to. */
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

export const END_EVENTS: EventShapes<EndEvents> = eventShapes<EndEvents>()({
  credentials_revoked: { revocation_id: Name, outcome: RevocationOutcome, detail: Text },
  response_compiled: { claims: z.array(Claim), text: Text },
  memory_proposed: { proposals: z.array(MemoryProposal), validator: Name.exactOptional() },
  memory_ruled: { rulings: z.array(MemoryRuling) },
  memory_written: {
    written: z.array(Name),
    failed: z.array(z.strictObject({ entry_id: Name, reason: z.string() })),
  },
  run_terminated: {
    code: TerminalCode,
    reason: Name,
    detail: JsonRecord,
    status: SessionStatus,
    suppressed: z.array(TerminalCode),
    record: AddressText,
  },
});
