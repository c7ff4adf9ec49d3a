import type { Blob } from '../../model/blob.ts';
import { BUNDLE_VERSION, BundleHeader } from '../../model/bundle.ts';
import { Fault } from '../../model/fault.ts';
import { type Frame, verifyChain } from '../../model/frame.ts';
import { type Address, addressOfText, type Hash } from '../../model/hash.ts';
import { JSON_LIMITS } from '../../model/json.ts';
import { parse } from '../../model/parse.ts';
import { printable } from '../../model/printable.ts';

/** A run in one text: what it holds, its frames as they were stored, and everything that was kept beside them. */
export interface Bundle {
  readonly header: BundleHeader;
  readonly frames: readonly Frame[];
  readonly blobs: readonly Blob[];
  readonly seal: Address;
}

/** One line each, the header first, and last the seal: one hash over every byte before it. */
export function writeBundle({ header, frames, blobs }: Omit<Bundle, 'seal'>, hash: Hash): string {
  const lines = [
    JSON.stringify(header),
    ...frames.map((frame) => JSON.stringify({ frame })),
    ...blobs.map((blob) => JSON.stringify({ blob })),
  ];
  const text = `${lines.join('\n')}\n`;
  return `${text}${JSON.stringify({ seal: addressOfText(hash, text) })}\n`;
}

/**
 * Takes a stranger's text for a bundle only if every part of it is what it says it is. The first part that is not is
 * named; what holds up part by part and was put together anew does not have its seal.
 */
export function readBundle(text: string, hash: Hash): Bundle {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length < 3) throw invalid('/', 'is cut off, or is no bundle');
  const header = headerOf(lines[0] ?? '');
  const rows = lines.slice(1, -1).map((line, place) => rowOf(line, place));
  const frames = rows.flatMap((row) => ('frame' in row ? [row.frame] : []));
  const blobs = rows.flatMap((row) => ('blob' in row ? [row.blob] : []));
  assertFrames(header, frames, hash);
  assertBlobs(header, blobs, hash);
  const last = lines.at(-1) ?? '';
  const sealed = text.slice(0, text.length - last.length - 1);
  const seal = addressOfText(hash, sealed);
  if (last !== JSON.stringify({ seal })) throw invalid('/seal', 'is not that of what the bundle holds');
  return { header, frames, blobs, seal };
}

function headerOf(line: string): BundleHeader {
  const header = jsonOf(line, '/header') as { readonly format?: unknown; readonly version?: unknown } | null;
  if (header?.format !== 'ambit-run') throw invalid('/header', 'is not that of a run');
  if (header.version !== BUNDLE_VERSION) {
    const said = printable(String(header.version));
    throw invalid('/header/version', `is ${said}, and this version of Ambit reads ${BUNDLE_VERSION}`);
  }
  return parse(BundleHeader, header, 'bundle_invalid', {
    ...JSON_LIMITS,
    stringLengthMax: 10 * JSON_LIMITS.stringLengthMax,
  });
}

type Row = { readonly frame: Frame } | { readonly blob: Blob };

function rowOf(line: string, place: number): Row {
  const row = jsonOf(line, `/lines/${place + 2}`) as Partial<Record<'frame' | 'blob', Record<string, unknown>>> | null;
  if (row?.frame !== undefined && hasTypes(row.frame, FRAME_TYPES)) return { frame: row.frame as unknown as Frame };
  if (row?.blob !== undefined && hasTypes(row.blob, BLOB_TYPES)) return { blob: row.blob as unknown as Blob };
  throw invalid(`/lines/${place + 2}`, 'holds neither a frame nor something kept beside it');
}

const FRAME_TYPES = {
  session: 'string',
  seq: 'number',
  at: 'number',
  writer: 'string',
  events: 'string',
  prev: 'string',
  hash: 'string',
} as const;
const BLOB_TYPES = { address: 'string', text: 'string' } as const;

const hasTypes = (row: unknown, types: Readonly<Record<string, string>>): boolean =>
  typeof row === 'object' &&
  row !== null &&
  Object.keys(row).length === Object.keys(types).length &&
  Object.entries(types).every(([key, type]) => typeof (row as Record<string, unknown>)[key] === type);

function assertFrames({ run_id, frames: count, head }: BundleHeader, frames: readonly Frame[], hash: Hash): void {
  const broken = verifyChain(frames, hash);
  if (broken !== null) throw invalid(`/frames/${broken.seq}`, `was altered or moved: ${broken.why}`);
  if (frames.length !== count) throw invalid(`/frames/${frames.length + 1}`, `is missing: there were ${count}`);
  if (frames[0]?.session !== run_id) throw invalid('/frames/1', `does not belong to ${run_id}`);
  if (frames.at(-1)?.hash !== head) throw invalid(`/frames/${count}`, 'is not the last frame of the run');
}

function assertBlobs({ blobs: count }: BundleHeader, blobs: readonly Blob[], hash: Hash): void {
  for (const { address, text } of blobs) {
    if (addressOfText(hash, text) !== address) throw invalid(`/blobs/${printable(address)}`, 'was altered');
  }
  if (blobs.length !== count) throw invalid('/blobs', `are ${blobs.length}, and there were ${count}`);
}

function jsonOf(line: string, path: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Fault('bundle_invalid', `${path}: is not JSON`, { path, cause: error });
  }
}

const invalid = (path: string, why: string): Fault => new Fault('bundle_invalid', `${path}: ${why}`, { path });
