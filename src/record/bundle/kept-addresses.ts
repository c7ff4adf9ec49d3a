import { ADDRESS_PATTERN, type Address } from '../../model/hash.ts';
import { isJsonList, isJsonObject, type Json } from '../../model/json.ts';

/** Under these names a run says where it has put something. */
const KEPT: ReadonlySet<string> = new Set([
  'context',
  'tool_registry_version',
  'decision_catalog_version',
  'memory_snapshot',
  'pack',
  'snapshot',
  'prompt',
  'response',
  'packet_hash',
  'record',
  'result',
  'pointer',
]);

/** What a tool, a model or a person said may name any address it likes. Whose that is nobody knows: it is not followed. */
const SAID: ReadonlySet<string> = new Set([
  'raw',
  'args',
  'proposal',
  'plan',
  'inputs',
  'goal',
  'answers',
  'payload',
  'parameters',
  'preview',
  'delta',
  'detail',
  'items',
]);

/** Every address under which a run itself has kept something, as its events and what it kept tell. */
export function keptAddresses(value: Json, into: Set<Address> = new Set()): Set<Address> {
  if (isJsonList(value)) for (const item of value) keptAddresses(item, into);
  if (!isJsonObject(value)) return into;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'raw') {
      // A large answer stands beside the journal; no tool can say so of its own answer.
      const stands = isJsonObject(item) && Object.hasOwn(item, '$blob') ? item['$blob'] : null;
      if (isAddress(stands)) into.add(stands);
    }
    if (SAID.has(key)) continue;
    if (KEPT.has(key) && isAddress(item)) into.add(item);
    else keptAddresses(item, into);
  }
  return into;
}

const isAddress = (value: Json | undefined): value is Address =>
  typeof value === 'string' && ADDRESS_PATTERN.test(value);
