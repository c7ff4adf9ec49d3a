import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import type { Hash } from '../model/hash.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { ToolLimits } from '../model/tool.ts';

/** What a tool may answer in line when it says nothing about it. */
const PAYLOAD_MAX_BYTES = 1_048_576;

const PREVIEW_LENGTH = 500;

/** What stands in the journal for an answer that stands beside it. */
export interface PutAside {
  readonly raw: JsonObject;
  readonly blob: Blob;
}

/**
 * An answer that is larger than its tool keeps in line is kept under its content address, with a preview in its place;
 * null for one that stays where it is. An answer that says of itself that it stands for another one is put aside like a
 * large one: what names an address in the journal is ours.
 */
export function putAside(raw: Json, limits: ToolLimits | undefined, hash: Hash): PutAside | null {
  const most = limits?.payload_max_bytes ?? PAYLOAD_MAX_BYTES;
  const text = canonicalize(raw);
  const bytes = byteLength(text);
  const posing = isJsonObject(raw) && Object.hasOwn(raw, '$blob');
  if (bytes <= most && !posing) return null;
  const blob = toBlob(text, hash);
  const preview = text.slice(0, PREVIEW_LENGTH).toWellFormed();
  return { blob, raw: { $blob: blob.address, bytes, preview } };
}

/** A text has at least as many bytes as code units and at most three times as many. */
function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
