import type { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Name, Text } from '../json/name.ts';

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
