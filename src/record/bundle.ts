import type { RunEvent } from '../model/events/event.ts';
import { assertRecordedEvent } from '../model/events/event-schema.ts';
import { type Frame, verifyChain } from '../model/events/frame.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Blob } from '../model/json/blob.ts';
import { ADDRESS_PATTERN, type Address, addressOfText, type Hash } from '../model/json/hash.ts';
import { isJsonList, isJsonObject, JSON_LIMITS, type Json } from '../model/json/json.ts';
import { parse } from '../model/json/parse.ts';
import { printable } from '../model/json/printable.ts';
import { BUNDLE_VERSION, BundledRun, BundleHeader, LANES_BUNDLE_VERSION } from '../model/record/bundle.ts';
import { createJsonCounter, type JsonCounter } from './bounded-json.ts';

/** One run of a bundle: its header, its frames as stored, and its blobs. */
export interface BundlePart {
  readonly header: BundledRun;
  readonly frames: readonly Frame[];
  readonly blobs: readonly Blob[];
}

/** A run as one text, followed by the runs of its lanes. Contains everything that replay needs. */
export interface Bundle extends BundlePart {
  readonly header: BundleHeader;
  readonly lanes: readonly BundlePart[];
  readonly seal: Address;
}

/**
 * Writes a bundle, one JSON value per line: the header, the run, a header and the run of each lane, and the seal. The
 * seal is a hash over all bytes before it.
 */
export function writeBundle({ header, lanes, ...run }: Omit<Bundle, 'seal'>, hash: Hash): string {
  const lines = [
    JSON.stringify(header),
    ...linesOf(run),
    ...lanes.flatMap((lane) => [JSON.stringify({ lane: lane.header }), ...linesOf(lane)]),
  ];
  const text = `${lines.join('\n')}\n`;
  return `${text}${JSON.stringify({ seal: addressOfText(hash, text) })}\n`;
}

const linesOf = ({ frames, blobs }: Pick<BundlePart, 'frames' | 'blobs'>): readonly string[] => [
  ...frames.map((frame) => JSON.stringify({ frame })),
  ...blobs.map((blob) => JSON.stringify({ blob })),
];

/**
 * Parses an untrusted bundle and verifies every part. A fault names the first invalid part. The seal detects a bundle
 * that was reassembled from valid parts.
 */
export function readBundle(text: string, hash: Hash): Bundle {
  const counter = createJsonCounter();
  const last = lastLine(text);
  const [first, ...rest] = linesBefore(text, text.length - last.length - 1, counter);
  if (first === undefined || rest.length === 0) throw invalid('/', 'is cut off, or is no bundle');
  const header = headerOf(first);
  const rows = rest.map((line, place) => rowOf(line, place));
  const { run, lanes } = partsOf(header, rows);
  assertPart(run, '', hash, counter);
  for (const lane of lanes) assertPart(lane, `/lanes/${printable(lane.header.run_id)}`, hash, counter);
  assertLanes(header, lanes);
  const sealed = text.slice(0, text.length - last.length - 1);
  const seal = addressOfText(hash, sealed);
  if (last !== JSON.stringify({ seal })) throw invalid('/seal', 'is not that of what the bundle holds');
  return { ...run, header, lanes, seal };
}

/** The last line of a text that ends with a line break. */
function lastLine(text: string): string {
  if (!text.endsWith('\n')) throw invalid('/', 'is cut off, or is no bundle');
  return text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -1);
}

/** The lines before an index. An empty line is refused at once, because a small file may unpack to millions of them. */
function linesBefore(text: string, end: number, counter: JsonCounter): readonly string[] {
  const lines: string[] = [];
  for (let from = 0; from < end; ) {
    const to = text.indexOf('\n', from);
    const path = `/lines/${lines.length + 1}`;
    if (to === from) throw invalid(path, 'is empty');
    const line = text.slice(from, to);
    counter.add(line, path);
    lines.push(line);
    from = to + 1;
  }
  return lines;
}

/** Limits for headers, whose rules may be longer than other input. */
const HEADER_LIMITS = { ...JSON_LIMITS, stringLengthMax: 10 * JSON_LIMITS.stringLengthMax };

function headerOf(line: string): BundleHeader {
  const header = jsonOf(line, '/header') as Readonly<Record<string, unknown>> | null;
  if (header?.['format'] !== 'ambit-run') throw invalid('/header', 'is not that of a run');
  const { version } = header;
  if (version !== BUNDLE_VERSION && version !== LANES_BUNDLE_VERSION) {
    const shown = printable(String(version));
    const read = `${BUNDLE_VERSION} and ${LANES_BUNDLE_VERSION}`;
    throw invalid('/header/version', `is ${shown}, and this version of Ambit reads ${read}`);
  }
  if (Object.hasOwn(header, 'lanes') !== (version === LANES_BUNDLE_VERSION)) {
    throw invalid('/header/lanes', `are said in bundles of version ${LANES_BUNDLE_VERSION}, and in no others`);
  }
  return parse(BundleHeader, header, 'bundle_invalid', HEADER_LIMITS);
}

type Row = { readonly frame: Frame } | { readonly blob: Blob } | { readonly lane: BundledRun };

function rowOf(line: string, place: number): Row {
  const at = `/lines/${place + 2}`;
  const row = jsonOf(line, at) as Partial<Record<'frame' | 'blob' | 'lane', Record<string, unknown>>> | null;
  if (row?.frame !== undefined && hasTypes(row.frame, FRAME_TYPES)) return { frame: row.frame as unknown as Frame };
  if (row?.blob !== undefined && hasTypes(row.blob, BLOB_TYPES)) return { blob: row.blob as unknown as Blob };
  if (row?.lane !== undefined) return { lane: parse(BundledRun, row.lane, 'bundle_invalid', HEADER_LIMITS) };
  throw invalid(at, 'holds neither a frame, nor something kept beside it, nor a lane');
}

/** Assigns rows to runs: those after a lane's header to that lane, those before the first one to the run itself. */
function partsOf(
  header: BundleHeader,
  rows: readonly Row[],
): { readonly run: BundlePart; readonly lanes: readonly BundlePart[] } {
  const run = { header, frames: [] as Frame[], blobs: [] as Blob[] };
  const lanes: { readonly header: BundledRun; readonly frames: Frame[]; readonly blobs: Blob[] }[] = [];
  for (const row of rows) {
    const open = lanes.at(-1) ?? run;
    if ('lane' in row) lanes.push({ header: row.lane, frames: [], blobs: [] });
    else if ('frame' in row) open.frames.push(row.frame);
    else open.blobs.push(row.blob);
  }
  return { run, lanes };
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

function assertPart({ header, frames, blobs }: BundlePart, place: string, hash: Hash, counter: JsonCounter): void {
  // No tool can answer with a longer text.
  const { bytesMax } = JSON_LIMITS;
  for (const { seq, events } of frames) counter.add(events, `${place}/frames/${seq}`, bytesMax);
  for (const { address, text } of blobs) {
    const path = `${place}/blobs/${printable(address)}`;
    if (text.length > bytesMax) throw invalid(path, `has more than ${bytesMax} characters`);
    // A blob is a prompt, a model's answer or JSON, which is parsed when it is used.
    if (isJsonText(text)) counter.add(text, path);
  }
  assertFrames(header, frames, place, hash);
  assertBlobs(header, blobs, place, hash);
}

const isJsonText = (text: string): boolean => /^\s{0,9}[[{]/u.test(text);

function assertFrames(
  { run_id, frames: count, head }: BundledRun,
  frames: readonly Frame[],
  place: string,
  hash: Hash,
): void {
  const broken = verifyChain(frames, hash);
  if (broken !== null) throw invalid(`${place}/frames/${broken.seq}`, `was altered or moved: ${broken.why}`);
  if (frames.length !== count) throw invalid(`${place}/frames/${frames.length + 1}`, `is missing: there were ${count}`);
  if (frames[0]?.session !== run_id) throw invalid(`${place}/frames/1`, `does not belong to ${run_id}`);
  if (frames.at(-1)?.hash !== head) throw invalid(`${place}/frames/${count}`, 'is not the last frame of the run');
  for (const frame of frames) assertEvents(frame, `${place}/frames/${frame.seq}`);
}

/** Parses every event in full: the bundle comes from elsewhere, and its chain only shows that it is unchanged. */
function assertEvents({ session, events }: Frame, path: string): void {
  const list = jsonOf(events, path);
  if (!Array.isArray(list)) throw invalid(path, 'is not a list of events');
  for (const [place, event] of list.entries()) {
    try {
      assertRecordedEvent(event);
    } catch (error) {
      if (!Fault.is(error)) throw error;
      const type = printable(String(Object(event).type));
      throw invalid(
        `${path}/${place}${error.path ?? ''}`,
        `${type} of session ${session} is malformed: ${error.message}`,
      );
    }
  }
}

function assertBlobs({ blobs: count }: BundledRun, blobs: readonly Blob[], place: string, hash: Hash): void {
  for (const { address, text } of blobs) {
    if (addressOfText(hash, text) !== address) throw invalid(`${place}/blobs/${printable(address)}`, 'was altered');
  }
  if (blobs.length !== count) throw invalid(`${place}/blobs`, `are ${blobs.length}, and there were ${count}`);
}

function assertLanes({ run_id, lanes: count = 0 }: BundleHeader, lanes: readonly BundlePart[]): void {
  if (lanes.length !== count) throw invalid('/lanes', `are ${lanes.length}, and there were ${count}`);
  const ids = [run_id, ...lanes.map(({ header }) => header.run_id)];
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  if (twice !== undefined) throw invalid(`/lanes/${printable(twice)}`, 'is there twice');
}

function jsonOf(line: string, path: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Fault('bundle_invalid', `${path}: is not JSON`, { path, cause: error });
  }
}

const invalid = (path: string, why: string): Fault => new Fault('bundle_invalid', `${path}: ${why}`, { path });

/** Whether a blob must exist at an address, or may. */
export type Kept = 'surely' | 'perhaps';

/** Fields in which a run stores the addresses of its own blobs. */
const KEPT: ReadonlyMap<string, Kept> = new Map<string, Kept>([
  ['context', 'surely'],
  ['decided_by', 'surely'],
  ['memory_snapshot', 'surely'],
  ['pack', 'surely'],
  ['snapshot', 'surely'],
  ['prompt', 'surely'],
  ['response', 'surely'],
  ['packet_hash', 'surely'],
  ['record', 'surely'],
  ['pointer', 'perhaps'],
  // Early runs recorded these addresses without storing the blobs.
  ['tool_registry_version', 'perhaps'],
  ['decision_catalog_version', 'perhaps'],
]);

/** Fields with content from tools, models or people. Addresses in them are untrusted and not followed. */
const UNTRUSTED_FIELDS: ReadonlySet<string> = new Set([
  'args',
  'proposal',
  'plan',
  'inputs',
  'goal',
  'answers',
  'payload',
  'parameters',
  'preview',
  'detail',
  'items',
]);

/** Collects the addresses of all blobs that the run itself stored, in the order of its events. */
export function keptByEvents(events: readonly RunEvent[], into: Map<Address, Kept>): void {
  for (const event of events) {
    // A refused decision may contain any address.
    if (event.type === 'decision_refused') continue;
    note(event as unknown as Json, into);
    if (event.type === 'run_migrated' && event.tools !== undefined)
      into.set(event.tools.tool_registry_version, 'surely');
    if (event.type !== 'run_initialized' || event.context === undefined) continue;
    into.set(event.manifest.tool_registry_version as Address, 'surely');
    into.set(event.manifest.decision_catalog_version as Address, 'surely');
  }
}

/** Collects the addresses in a stored text: a compiled context names the blobs it was compiled from. */
export function keptByText(text: string, into: Map<Address, Kept>): void {
  try {
    note(JSON.parse(text) as Json, into);
  } catch {
    // The text is a prompt or a model's answer, not JSON.
  }
}

function note(value: Json, into: Map<Address, Kept>): void {
  if (isJsonList(value)) for (const item of value) note(item, into);
  if (!isJsonObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'raw') noteStored(item, into);
    // Without a person at the gate there is no packet: the hash is that of the request or of the standing grant.
    else if (key === 'packet_hash' && Object.hasOwn(value, 'basis')) continue;
    else if (!UNTRUSTED_FIELDS.has(key)) noteNamed(key, item, into);
  }
}

function noteNamed(key: string, item: Json, into: Map<Address, Kept>): void {
  const kept = KEPT.get(key);
  if (kept === undefined || !isAddress(item)) note(item, into);
  else if (into.get(item) !== 'surely') into.set(item, kept);
}

/** A large answer is stored as a blob: `raw` is `{ "$blob": "sha256:…" }`, which no tool can return itself. */
function noteStored(raw: Json, into: Map<Address, Kept>): void {
  const stands = isJsonObject(raw) && Object.hasOwn(raw, '$blob') ? raw['$blob'] : null;
  if (isAddress(stands)) into.set(stands, 'surely');
}

const isAddress = (value: Json | undefined): value is Address =>
  typeof value === 'string' && ADDRESS_PATTERN.test(value);
