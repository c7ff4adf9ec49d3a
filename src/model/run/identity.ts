import { z } from 'zod';
import { ApprovalMode, compareModes } from '../gate/approval-mode.ts';
import { exactObject } from '../json/exact.ts';
import { Instant, Name } from '../json/name.ts';
import type { LaneContext } from './lane.ts';

/** The requester, as established by the caller's own authentication. */
export interface Identity {
  readonly actor: string;
  readonly tenant_id: string;
  readonly roles: readonly string[];
  /** All scopes granted to this identity. A run can only receive a subset. */
  readonly scopes: readonly string[];
  readonly expires_at: Instant;
}
export const Identity: z.ZodType<Identity> = exactObject({
  actor: Name,
  tenant_id: Name,
  roles: z.array(Name),
  scopes: z.array(Name),
  expires_at: Instant,
});

/** The permissions of one run, derived from an identity: never more than its grants. */
export interface SecurityToken {
  readonly tenant_id: string;
  readonly actor: string;
  readonly roles: readonly string[];
  readonly data_scopes: readonly string[];
  readonly allowed_tools: readonly string[];
  /** The strictest approval mode of a step in this run; a stricter step is refused. */
  readonly approval_authority: ApprovalMode;
  readonly expires_at: Instant;
}
export const SecurityToken: z.ZodType<SecurityToken> = exactObject({
  tenant_id: Name,
  actor: Name,
  roles: z.array(Name),
  data_scopes: z.array(Name),
  allowed_tools: z.array(Name),
  approval_authority: ApprovalMode,
  expires_at: Instant,
});

/** Proof that the goal passed the organisation's rules. There is no negative clearance. */
export interface SafetyClearance {
  readonly code: 'CLEAR';
  readonly goal_id: string;
  readonly policy_version: string;
  readonly rules_checked: readonly string[];
  readonly cleared_at: Instant;
}
export const SafetyClearance: z.ZodType<SafetyClearance> = exactObject({
  code: z.literal('CLEAR'),
  goal_id: Name,
  policy_version: Name,
  rules_checked: z.array(Name),
  cleared_at: Instant,
});

/** Limits the token of a lane to the rights of its context, even if its agent has more rights elsewhere. */
export function narrowToken({ tools, authority }: LaneContext, token: SecurityToken): SecurityToken {
  return {
    ...token,
    allowed_tools: token.allowed_tools.filter((tool) => tools.includes(tool)),
    approval_authority: compareModes(token.approval_authority, authority) > 0 ? authority : token.approval_authority,
  };
}
