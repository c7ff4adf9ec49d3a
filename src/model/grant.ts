import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import type { Json } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { Instant, Name } from './name.ts';

/** A permission for one exact call (or plan), used once. */
export interface SingleGrant {
  readonly kind: 'single';
  readonly grant_id: string;
  readonly gate_id: string;
  readonly packet_hash: Address;
  readonly args_hash: Address;
  readonly plan_hash: Address | null;
  readonly evidence_hash: Address;
  readonly approver: string;
  readonly granted_at: Instant;
  readonly expires_at: Instant;
}

/** A permission given in advance by a person: one tool, listed arguments, so many uses, until then. Never `destructive`. */
export interface StandingGrant {
  readonly kind: 'standing';
  readonly grant_id: string;
  readonly tenant_id: string;
  readonly tool: string;
  readonly argument_allow: Readonly<Record<string, readonly Json[]>>;
  readonly uses_max: number;
  readonly approver: string;
  readonly granted_at: Instant;
  readonly expires_at: Instant;
}

export type Grant = SingleGrant | StandingGrant;
export const Grant: z.ZodType<Grant> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('single'),
    grant_id: Name,
    gate_id: Name,
    packet_hash: ContentAddress,
    args_hash: ContentAddress,
    plan_hash: ContentAddress.nullable(),
    evidence_hash: ContentAddress,
    approver: Name,
    granted_at: Instant,
    expires_at: Instant,
  }),
  z.strictObject({
    kind: z.literal('standing'),
    grant_id: Name,
    tenant_id: Name,
    tool: Name,
    argument_allow: z.record(z.string(), z.array(JsonValue)),
    uses_max: z.int().positive(),
    approver: Name,
    granted_at: Instant,
    expires_at: Instant,
  }),
]);
