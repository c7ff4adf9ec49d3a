import type { RunEvent } from '../../model/events/event.ts';
import { ADDRESS_PATTERN, type Address } from '../../model/json/hash.ts';
import { isJsonList, isJsonObject, type Json } from '../../model/json/json.ts';

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
