import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { JsonValue } from '../json/json-value.ts';
import { Statement } from '../json/name.ts';

/**
 * A value that a model writes when its step is due: `{ "$draft": "a short apology", "using": [ … ] }`. The model sees
 * only this instruction and the values in `using` (literals or bindings), and nothing else from the run.
 */
export interface Draft {
  readonly $draft: string;
  readonly using?: readonly Json[];
}

const USING_MAX = 20;

export const Draft: z.ZodType<Draft> = exactObject({
  $draft: Statement,
  using: z.array(JsonValue).max(USING_MAX).exactOptional(),
});

/** True for any object with a `$draft` key, so that a malformed draft does not pass as a literal. */
export function looksLikeDraft(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$draft');
}

/** One value to be drafted: its place in the arguments, the instruction, and the source values. */
export interface DraftTask {
  /** JSON Pointer into the params of the step. */
  readonly pointer: string;
  readonly instruction: string;
  readonly using: readonly Json[];
}

/** The drafted values, by JSON Pointer into the params of the step. */
export type Drafts = Readonly<Record<string, Json>>;
