import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import { Instant, Name } from '../json/name.ts';

/** The source of a value, and whether it is trusted. It travels with the value through every binding. */
export interface Provenance {
  readonly source: string;
  readonly trusted: boolean;
  /** Present if a model drafted the value for this call. */
  readonly drafted?: true;
}
export const Provenance: z.ZodType<Provenance> = exactObject({
  source: Name,
  trusted: z.boolean(),
  drafted: z.literal(true).exactOptional(),
});

/** A fact that decisions may use. The model can read it and never edit it. */
export interface Evidence {
  readonly evidence_id: string;
  readonly type: string;
  readonly source_id: string;
  readonly observed_at: Instant;
  readonly permission_scope: string;
  /** From this instant on the evidence is stale and supports nothing. */
  readonly fresh_until: Instant;
  readonly trusted: boolean;
  readonly pointer: Address;
}
export const Evidence: z.ZodType<Evidence> = exactObject({
  evidence_id: Name,
  type: Name,
  source_id: Name,
  observed_at: Instant,
  permission_scope: Name,
  fresh_until: Instant,
  trusted: z.boolean(),
  pointer: ContentAddress,
});
