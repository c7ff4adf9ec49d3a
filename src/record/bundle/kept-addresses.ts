import type { RunEvent } from '../../model/event.ts';
import { ADDRESS_PATTERN, type Address } from '../../model/hash.ts';
import { isJsonList, isJsonObject, type Json } from '../../model/json.ts';

/** Whether something must lie under an address, or only may. */
export type Kept = 'surely' | 'perhaps';

/** Under these names a run says where it has put something. */
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
  // Runs of the first days named their registries and did not keep them.
  ['tool_registry_version', 'perhaps'],
  ['decision_catalog_version', 'perhaps'],
]);

/** What a tool, a model or a person said may name any address it likes. Whose that is nobody knows: it is not followed. */
const SAID: ReadonlySet<string> = new Set([
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

/** Every address under which a run itself has kept something, in the order in which its events tell. */
export function keptByEvents(events: readonly RunEvent[], into: Map<Address, Kept>): void {
  for (const event of events) {
    // Whoever was turned away may have named anything.
    if (event.type === 'decision_refused') continue;
    note(event as unknown as Json, into);
    if (event.type !== 'run_initialized' || event.context === undefined) continue;
    into.set(event.manifest.tool_registry_version as Address, 'surely');
    into.set(event.manifest.decision_catalog_version as Address, 'surely');
  }
}

/** The same of something that a run has kept: what it was told names what that was compiled from. */
export function keptByText(text: string, into: Map<Address, Kept>): void {
  try {
    note(JSON.parse(text) as Json, into);
  } catch {
    // A prompt, or the answer of a model, in its own words.
  }
}

function note(value: Json, into: Map<Address, Kept>): void {
  if (isJsonList(value)) for (const item of value) note(item, into);
  if (!isJsonObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'raw') noteStored(item, into);
    else if (!SAID.has(key)) noteNamed(key, item, into);
  }
}

function noteNamed(key: string, item: Json, into: Map<Address, Kept>): void {
  const kept = KEPT.get(key);
  if (kept === undefined || !isAddress(item)) note(item, into);
  else if (into.get(item) !== 'surely') into.set(item, kept);
}

/** A large answer stands beside the journal, and its address in its place; no tool can say so of its own answer. */
function noteStored(raw: Json, into: Map<Address, Kept>): void {
  const stands = isJsonObject(raw) && Object.hasOwn(raw, '$blob') ? raw['$blob'] : null;
  if (isAddress(stands)) into.set(stands, 'surely');
}

const isAddress = (value: Json | undefined): value is Address =>
  typeof value === 'string' && ADDRESS_PATTERN.test(value);
