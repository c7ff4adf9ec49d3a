import { z } from 'zod';
import { DecisionRecord } from '../critic/decision.ts';
import { exactObject } from '../json/exact.ts';
import { ContentAddress } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';
import { JsonRecord } from '../json/json-value.ts';
import { Instant, Name } from '../json/name.ts';
import { AUDIT_KINDS, type AuditEntry } from './audit-entry.ts';
import { EscalationTrace } from './trace.ts';

/** For the approval interface: the exact packets that approvers were shown. */
export interface ApprovalPackets {
  readonly run_id: string;
  readonly packets: readonly {
    readonly gate_id: string;
    readonly name: string;
    readonly packet_hash: string;
    readonly packet: JsonObject;
  }[];
}
export const ApprovalPackets: z.ZodType<ApprovalPackets> = exactObject({
  run_id: Name,
  packets: z.array(z.strictObject({ gate_id: Name, name: Name, packet_hash: Name, packet: JsonRecord })),
});

/** For the review queue: the requests to people, and all their decisions. */
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
export const ReviewRecords: z.ZodType<ReviewRecords> = exactObject({
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

/** For the owners of agent governance. */
export interface GovernanceRecord {
  readonly run_id: string;
  readonly owner: string;
  readonly boundary_version: string;
  readonly policy_version: string;
  readonly decision: DecisionRecord;
  /** Owners, versions, approvals and exceptions, chained. */
  readonly entries: readonly AuditEntry[];
}
export const GovernanceRecord: z.ZodType<GovernanceRecord> = exactObject({
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
