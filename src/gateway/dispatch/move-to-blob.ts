import { type Blob, toBlob } from '../../model/json/blob.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Hash } from '../../model/json/hash.ts';
import { isJsonList, isJsonObject, JSON_LIMITS, type Json, type JsonObject } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import { exceedsBytes } from '../../model/json/json-size.ts';
import type { ToolLimits } from '../../model/tool/tool.ts';

/** Default for `payload_max_bytes`: the largest answer that stays inline in the event. */
const PAYLOAD_MAX_BYTES = 1_048_576;

const PREVIEW_LENGTH = 500;

/** The largest part that is copied into the event next to the preview, for later steps that are bound to it. */
const PART_MAX_BYTES = 65_536;

/** A blob and its replacement in the journal, e.g. `{ $blob: 'sha256:…', bytes: 2000000, preview: '{"rows":…' }`. */
export interface MovedAnswer {
  readonly raw: JsonObject;
  readonly blob: Blob;
}

/**
 * Moves an answer that is too large for the journal into a blob, and leaves a preview and the `bound` parts in its
 * place. Returns null for an answer that stays inline. An answer with a `$blob` key of its own is moved too, so that
 * every address in the journal is one of ours; so is an answer with a string longer than the journal accepts,
 * regardless of the tool's limit.
 */
export function moveToBlob(
  raw: Json,
  limits: ToolLimits | undefined,
  hash: Hash,
  bound: () => readonly string[] = NOTHING_BOUND,
): MovedAnswer | null {
  const most = limits?.payload_max_bytes ?? PAYLOAD_MAX_BYTES;
  const posing = isJsonObject(raw) && Object.hasOwn(raw, '$blob');
  if (!posing && !exceedsBytes(raw, most) && !holdsLongText(raw)) return null;
  const text = canonicalize(raw);
  const bytes = byteLength(text);
  const blob = toBlob(text, hash);
  const preview = text.slice(0, PREVIEW_LENGTH).toWellFormed();
  const parts = partsOf(raw, bound());
  return { blob, raw: { $blob: blob.address, bytes, preview, ...(parts === null ? {} : { parts }) } };
}

const NOTHING_BOUND = (): readonly string[] => [];

/** The values at the bound JSON Pointers, by pointer. Missing and oversized values are left out. */
function partsOf(raw: Json, bound: readonly string[]): JsonObject | null {
  const parts = bound.flatMap((pointer) => {
    const part = jsonAt(raw, pointer);
    return part === undefined || exceedsBytes(part, PART_MAX_BYTES) ? [] : [[pointer, part] as const];
  });
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

function holdsLongText(value: Json): boolean {
  if (typeof value === 'string') return value.length > JSON_LIMITS.stringLengthMax;
  if (typeof value !== 'object' || value === null) return false;
  return (isJsonList(value) ? value : Object.values(value)).some(holdsLongText);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
