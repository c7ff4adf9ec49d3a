import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import { Instant, Name } from './name.ts';

/** Where a value came from and whether that place is trusted. Travels with the value through every binding. */
export interface Provenance {
  readonly source: string;
  readonly trusted: boolean;
  /** Present where a model wrote it for this very call, because the plan had left it open. */
  readonly drafted?: true;
}
export const Provenance: z.ZodType<Provenance> = z.strictObject({
  source: Name,
  trusted: z.boolean(),
  drafted: z.literal(true).exactOptional(),
});

/** Something a decision may rest on. The model reads it and can never edit it. */
export interface Evidence {
  readonly evidence_id: string;
  readonly type: string;
  readonly source_id: string;
  readonly observed_at: Instant;
  readonly permission_scope: string;
  /** From here on it is stale and supports nothing. */
  readonly fresh_until: Instant;
  readonly trusted: boolean;
  readonly pointer: Address;
}
export const Evidence: z.ZodType<Evidence> = z.strictObject({
  evidence_id: Name,
  type: Name,
  source_id: Name,
  observed_at: Instant,
  permission_scope: Name,
  fresh_until: Instant,
  trusted: z.boolean(),
  pointer: ContentAddress,
});
