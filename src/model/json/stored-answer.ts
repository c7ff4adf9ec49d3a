import { z } from 'zod';
import { Confirmed } from '../tool/observation.ts';
import { exactObject } from './exact.ts';
import { isJsonObject, type Json, type JsonObject, own } from './json.ts';
import { Name } from './name.ts';
import { Problem } from './problem.ts';

/**
 * The result of checking a complete answer that is stored outside the journal. It is recorded with the observation, so
 * that replay does not need the answer itself.
 */
export interface StoredAnswer {
  readonly validator: string;
  /** The confirmed parts of the value that replaces the answer in the journal. */
  readonly confirmed: Confirmed;
  /** The reasons why the answer cannot be used; empty if it can. */
  readonly problems: readonly Problem[];
}
export const StoredAnswer: z.ZodType<StoredAnswer> = exactObject({
  validator: Name,
  confirmed: Confirmed,
  problems: z.array(Problem),
});

/**
 * Returns the address of the stored answer if `raw` is a reference to it, otherwise null. A tool cannot return such a
 * reference as its own answer.
 */
export function storedAt(raw: Json): string | null {
  const address = isJsonObject(raw) && Object.hasOwn(raw, '$blob') ? raw['$blob'] : null;
  return typeof address === 'string' ? address : null;
}

/** Returns a part of the stored answer that is kept inline because the plan binds to it, or undefined. */
export const storedPart = (raw: Json, pointer: string): Json | undefined => own(partsIn(raw), pointer);

/** Returns the pointers of the parts that are kept inline. */
export const storedParts = (raw: Json): readonly string[] => Object.keys(partsIn(raw));

function partsIn(raw: Json): JsonObject {
  const parts = isJsonObject(raw) ? own(raw, 'parts') : undefined;
  return isJsonObject(parts) ? parts : {};
}
