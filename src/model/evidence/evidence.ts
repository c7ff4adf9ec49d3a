import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';

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

/** One statement of the final answer, and the observation that supports it. */
export interface Claim {
  readonly statement: string;
  readonly observation: string;
}
export const Claim: z.ZodType<Claim> = exactObject({ statement: Text, observation: Name });

/** One committed value, its source and its subject. Two values can only conflict if they have the same subject. */
export interface StatedFact {
  readonly evidence_id: string;
  /** The tool that returned the value. */
  readonly source: string;
  readonly trusted: boolean;
  readonly type: string;
  readonly subject: string;
  /** The property of the subject, as a JSON Pointer. */
  readonly path: string;
  readonly value: Json;
}

export interface SourcedFact extends StatedFact {
  /** The goal or a decision depends on which value is right. */
  readonly critical: boolean;
}
