import { z } from 'zod';
import type { Json, JsonObject } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { Statement } from './name.ts';

/**
 * A value that is left to be written when its step comes up: `{ "$draft": "a short apology", "using": [ … ] }`. Whoever
 * writes it is shown these words and what `using` holds, literals or bindings, and nothing else that the run has seen.
 */
export interface Draft {
  readonly $draft: string;
  readonly using?: readonly Json[];
}

const USING_MAX = 20;

export const Draft: z.ZodType<Draft> = z.strictObject({
  $draft: Statement,
  using: z.array(JsonValue).max(USING_MAX).exactOptional(),
});

/** True for a well-formed draft and for anything that tries to be one, so that no half-draft passes as a literal. */
export function looksLikeDraft(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$draft');
}

/** One place of a call that is left to be written: where it stands in the arguments, and what it is written from. */
export interface DraftTask {
  /** JSON Pointer into the params of the step. */
  readonly pointer: string;
  readonly instruction: string;
  readonly using: readonly Json[];
}

/** What was written, by JSON Pointer into the params of the step. */
export type Drafts = Readonly<Record<string, Json>>;
