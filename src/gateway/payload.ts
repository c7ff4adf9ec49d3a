import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import type { Hash } from '../model/hash.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { ToolLimits } from '../model/tool.ts';

/** What a tool may answer in line when it says nothing about it. More than this is a mistake rather than an answer. */
const PAYLOAD_MAX_BYTES = 1_048_576;

const PREVIEW_LENGTH = 500;

/** An answer that is small enough to stand in the journal, one that stands beside it, or one that is too much. */
export type Kept =
  | { readonly kind: 'inline' }
  | { readonly kind: 'blob'; readonly raw: JsonObject; readonly blob: Blob }
  | { readonly kind: 'too_large'; readonly bytes: number; readonly most: number };

/**
 * A tool that declares how much of an answer it keeps in line has the rest kept under its content address, with a
 * preview in its place. Without the declaration an answer beyond the usual bound is refused. An answer that says of itself
 * that it stands for another one is put aside like a large one: what names an address in the journal is ours.
 */
export function keepPayload(raw: Json, limits: ToolLimits | undefined, hash: Hash): Kept {
  const most = limits?.payload_max_bytes ?? PAYLOAD_MAX_BYTES;
  const text = canonicalize(raw);
  const bytes = byteLength(text);
  const posing = isJsonObject(raw) && Object.hasOwn(raw, '$blob');
  if (bytes <= most && !posing) return { kind: 'inline' };
  if (bytes > most && limits?.payload_max_bytes === undefined) return { kind: 'too_large', bytes, most };
  const blob = toBlob(text, hash);
  const preview = text.slice(0, PREVIEW_LENGTH).toWellFormed();
  return { kind: 'blob', blob, raw: { $blob: blob.address, bytes, preview } };
}

/** A text has at least as many bytes as code units and at most three times as many. */
function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
