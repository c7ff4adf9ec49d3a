import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { Instant, Name } from './name.ts';

/** Who asks, as the caller's own authentication established it. */
export interface Identity {
  readonly actor: string;
  readonly tenant_id: string;
  readonly roles: readonly string[];
  /** Everything this identity has been granted; a run can only receive less. */
  readonly scopes: readonly string[];
  readonly expires_at: Instant;
}
export const Identity: z.ZodType<Identity> = z.strictObject({
  actor: Name,
  tenant_id: Name,
  roles: z.array(Name),
  scopes: z.array(Name),
  expires_at: Instant,
});

/** What scope resolution leaves of an identity for one run: never more than the identity's own grants. */
export interface SecurityToken {
  readonly tenant_id: string;
  readonly actor: string;
  readonly roles: readonly string[];
  readonly data_scopes: readonly string[];
  readonly allowed_tools: readonly string[];
  /** The strictest approval mode a step of this run may have; anything beyond it is refused. */
  readonly approval_authority: ApprovalMode;
  readonly expires_at: Instant;
}
export const SecurityToken: z.ZodType<SecurityToken> = z.strictObject({
  tenant_id: Name,
  actor: Name,
  roles: z.array(Name),
  data_scopes: z.array(Name),
  allowed_tools: z.array(Name),
  approval_authority: ApprovalMode,
  expires_at: Instant,
});

/** Proof that the goal was held against the organisation's rules and passed. There is no negative clearance. */
export interface SafetyClearance {
  readonly code: 'CLEAR';
  readonly goal_id: string;
  readonly policy_version: string;
  readonly rules_checked: readonly string[];
  readonly cleared_at: Instant;
}
export const SafetyClearance: z.ZodType<SafetyClearance> = z.strictObject({
  code: z.literal('CLEAR'),
  goal_id: Name,
  policy_version: Name,
  rules_checked: z.array(Name),
  cleared_at: Instant,
});
