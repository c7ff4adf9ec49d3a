import type { Address } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';

/** The kinds of audit entry: the owner, the policy version, an approval, a deviation from the plan. */
export const AUDIT_KINDS = ['owner', 'policy_version', 'approval', 'exception'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** One entry of an audit record, chained to the previous one by hash, so that any change breaks the chain. */
export interface AuditEntry {
  readonly entry_id: string;
  readonly run_id: string;
  readonly kind: AuditKind;
  readonly at: number;
  /** The responsible person. */
  readonly who: string;
  readonly what: JsonObject;
  /** The journal frame that proves the entry. */
  readonly frame: Address;
  readonly hash: Address;
}
