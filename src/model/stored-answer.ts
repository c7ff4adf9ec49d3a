import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { Name } from './name.ts';
import { Confirmed } from './observation.ts';
import { own } from './own.ts';
import { Problem } from './problem.ts';

/**
 * What was found when somebody looked at the whole of an answer that is kept beside the journal. It is on record with the
 * observation, so that nobody needs the answer itself to see again how the run went.
 */
export interface StoredAnswer {
  readonly validator: string;
  /** Of what stands in its place. */
  readonly confirmed: Confirmed;
  /** Why it cannot be used; none where it can. */
  readonly problems: readonly Problem[];
}
export const StoredAnswer: z.ZodType<StoredAnswer> = z.strictObject({
  validator: Name,
  confirmed: Confirmed,
  problems: z.array(Problem),
});

/** The address under which the whole is kept, if this only stands in its place. No tool can say so of its own answer. */
export function storedAt(raw: Json): string | null {
  const address = isJsonObject(raw) && Object.hasOwn(raw, '$blob') ? raw['$blob'] : null;
  return typeof address === 'string' ? address : null;
}

/** A part of the whole that stands in line, because the plan that made the call was bound to it; else undefined. */
export const storedPart = (raw: Json, pointer: string): Json | undefined => own(partsIn(raw), pointer);

/** The places of the whole that stand in line. */
export const storedParts = (raw: Json): readonly string[] => Object.keys(partsIn(raw));

function partsIn(raw: Json): JsonObject {
  const parts = isJsonObject(raw) ? own(raw, 'parts') : undefined;
  return isJsonObject(parts) ? parts : {};
}
