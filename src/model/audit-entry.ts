import type { Address } from './hash.ts';
import type { JsonObject } from './json.ts';

/** Who approved, under which policies, what went another way than planned, and who answers for it. */
export const AUDIT_KINDS = ['owner', 'policy_version', 'approval', 'exception'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** One line of an audit record, chained to the one before: whoever changes a byte of one breaks the chain there. */
export interface AuditEntry {
  readonly entry_id: string;
  readonly run_id: string;
  readonly kind: AuditKind;
  readonly at: number;
  /** Who answers for it. */
  readonly who: string;
  readonly what: JsonObject;
  /** The frame of the journal that says so. */
  readonly frame: Address;
  readonly hash: Address;
}
