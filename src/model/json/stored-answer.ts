import { isJsonObject, type Json, type JsonObject, own } from './json.ts';

/**
 * Returns the address of the stored answer if `raw` is a reference to it, otherwise null. A tool cannot return such a
 * reference as its own answer.
 */
export function storedAt(raw: Json): string | null {
  const address = isJsonObject(raw) && Object.hasOwn(raw, '$blob') ? raw['$blob'] : null;
  return typeof address === 'string' ? address : null;
}

/** Whether `raw` is a reference to an answer that is confirmed as a whole. One that is confirmed in part has no preview. */
export const isStoredComplete = (raw: Json): boolean =>
  storedAt(raw) !== null && isJsonObject(raw) && Object.hasOwn(raw, 'preview');

/** Returns a part of the stored answer that is kept inline because the plan binds to it, or undefined. */
export const storedPart = (raw: Json, pointer: string): Json | undefined => own(partsIn(raw), pointer);

/** Returns the pointers of the parts that are kept inline. */
export const storedParts = (raw: Json): readonly string[] => Object.keys(partsIn(raw));

function partsIn(raw: Json): JsonObject {
  const parts = isJsonObject(raw) ? own(raw, 'parts') : undefined;
  return isJsonObject(parts) ? parts : {};
}
