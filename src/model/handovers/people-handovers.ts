import { z } from 'zod';
import { AUDIT_KINDS, type AuditEntry } from '../audit-entry.ts';
import { ContentAddress } from '../content-address.ts';
import { DecisionRecord } from '../decision.ts';
import type { JsonObject } from '../json.ts';
import { JsonRecord } from '../json-schema.ts';
import { Instant, Name } from '../name.ts';
import { EscalationTrace } from '../trace.ts';

/** For the surface that people decide at: what they were shown, word for word. */
export interface ApprovalPackets {
  readonly run_id: string;
  readonly packets: readonly {
    readonly gate_id: string;
    readonly name: string;
    readonly packet_hash: string;
    readonly packet: JsonObject;
  }[];
}
export const ApprovalPackets: z.ZodType<ApprovalPackets> = z.strictObject({
  run_id: Name,
  packets: z.array(z.strictObject({ gate_id: Name, name: Name, packet_hash: Name, packet: JsonRecord })),
});

/** For the review queue: what was asked of people, and everything they said to it. */
export interface ReviewRecords {
  readonly run_id: string;
  readonly requests: readonly EscalationTrace[];
  readonly decisions: readonly {
    readonly by: string;
    readonly decision: string;
    readonly about: string;
    readonly reason: string;
    readonly at: Instant;
    readonly credential: string | null;
  }[];
}
export const ReviewRecords: z.ZodType<ReviewRecords> = z.strictObject({
  run_id: Name,
  requests: z.array(EscalationTrace),
  decisions: z.array(
    z.strictObject({
      by: Name,
      decision: Name,
      about: Name,
      reason: z.string(),
      at: Instant,
      credential: Name.nullable(),
    }),
  ),
});

/** For whoever answers for what agents may do. */
export interface GovernanceRecord {
  readonly run_id: string;
  readonly owner: string;
  readonly boundary_version: string;
  readonly policy_version: string;
  readonly decision: DecisionRecord;
  /** Owners, versions, approvals and exceptions, chained. */
  readonly entries: readonly AuditEntry[];
}
export const GovernanceRecord: z.ZodType<GovernanceRecord> = z.strictObject({
  run_id: Name,
  owner: Name,
  boundary_version: Name,
  policy_version: Name,
  decision: DecisionRecord,
  entries: z.array(
    z.strictObject({
      entry_id: Name,
      run_id: Name,
      kind: z.enum(AUDIT_KINDS),
      at: Instant,
      who: z.string(),
      what: JsonRecord,
      frame: ContentAddress,
      hash: ContentAddress,
    }),
  ),
});
