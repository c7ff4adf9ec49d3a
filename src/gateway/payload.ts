import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import type { Hash } from '../model/hash.ts';
import { isJsonList, isJsonObject, JSON_LIMITS, type Json, type JsonObject } from '../model/json.ts';
import { jsonAt } from '../model/json-at.ts';
import type { ToolLimits } from '../model/tool.ts';

/** What a tool may answer in line when it says nothing about it. */
const PAYLOAD_MAX_BYTES = 1_048_576;

const PREVIEW_LENGTH = 500;

/** A part that later steps are bound to stands in line as well, unless it is large itself. */
const PART_MAX_BYTES = 65_536;

/** What stands in the journal for an answer that stands beside it. */
export interface PutAside {
  readonly raw: JsonObject;
  readonly blob: Blob;
}

/**
 * An answer that is larger than its tool keeps in line is kept under its content address, with a preview in its place
 * and the parts that are `bound`; null for one that stays where it is. An answer that says of itself that it stands for
 * another one is put aside like a large one: what names an address in the journal is ours. So is one with a text that
 * is longer than the journal takes, whatever its tool keeps in line.
 */
export function putAside(
  raw: Json,
  limits: ToolLimits | undefined,
  hash: Hash,
  bound: () => readonly string[] = NOTHING_BOUND,
): PutAside | null {
  const most = limits?.payload_max_bytes ?? PAYLOAD_MAX_BYTES;
  const posing = isJsonObject(raw) && Object.hasOwn(raw, '$blob');
  // Most answers are so small that they need not be written out to see it.
  if (!posing && bytesAtMost(raw) <= Math.min(most, JSON_LIMITS.stringLengthMax)) return null;
  const text = canonicalize(raw);
  const bytes = byteLength(text);
  const long = bytes > JSON_LIMITS.stringLengthMax && holdsLongText(raw);
  if (bytes <= most && !posing && !long) return null;
  const blob = toBlob(text, hash);
  const preview = text.slice(0, PREVIEW_LENGTH).toWellFormed();
  const parts = partsOf(raw, bound());
  return { blob, raw: { $blob: blob.address, bytes, preview, ...(parts === null ? {} : { parts }) } };
}

const NOTHING_BOUND = (): readonly string[] => [];

/** What stands at the bound places, by their pointers; a place with nothing there, or with too much, is left out. */
function partsOf(raw: Json, bound: readonly string[]): JsonObject | null {
  const parts = bound.flatMap((pointer) => {
    const part = jsonAt(raw, pointer);
    return part === undefined || byteLength(canonicalize(part)) > PART_MAX_BYTES ? [] : [[pointer, part] as const];
  });
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

/** An escaped character takes six bytes, and no number takes more than these. */
const CHARACTER_MAX_BYTES = 6;
const PLAIN_MAX_BYTES = 26;

/** What a value cannot be larger than in canonical form, whatever is in it. */
function bytesAtMost(value: Json): number {
  if (typeof value === 'string') return value.length * CHARACTER_MAX_BYTES + PLAIN_MAX_BYTES;
  if (typeof value !== 'object' || value === null) return PLAIN_MAX_BYTES;
  let bytes = PLAIN_MAX_BYTES;
  if (isJsonList(value)) for (const item of value) bytes += bytesAtMost(item) + 1;
  else for (const key of Object.keys(value)) bytes += bytesAtMost(key) + bytesAtMost(value[key] ?? null) + 2;
  return bytes;
}

function holdsLongText(value: Json): boolean {
  if (typeof value === 'string') return value.length > JSON_LIMITS.stringLengthMax;
  if (typeof value !== 'object' || value === null) return false;
  return (isJsonList(value) ? value : Object.values(value)).some(holdsLongText);
}

/** A text has at least as many bytes as code units and at most three times as many. */
function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
