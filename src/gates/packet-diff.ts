import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { sameJson } from '../model/json-at.ts';
import { pointerToken } from '../model/pointer.ts';

/** One place in which a packet differs from the one before it. Undefined where one of them has nothing there. */
export interface PacketChange {
  readonly pointer: string;
  readonly before: Json | undefined;
  readonly now: Json | undefined;
}

/** Different in every packet, whatever is asked for: a reader would learn nothing. */
const ALWAYS_NEW: ReadonlySet<string> = new Set([
  'run_id',
  'step_id',
  'args_hash',
  'plan_id',
  'plan_hash',
  'expires_at',
  'evidence',
  'evidence_refs',
  'evidence_hash',
]);

/** What is new about a packet against one of its kind that was approved. Lists are compared whole. */
export function diffPackets(before: JsonObject, now: JsonObject): readonly PacketChange[] {
  return changes(before, now, '').filter(({ pointer }) => !ALWAYS_NEW.has(pointer.split('/')[1] ?? ''));
}

function changes(before: Json | undefined, now: Json | undefined, pointer: string): readonly PacketChange[] {
  if (before !== undefined && now !== undefined) {
    if (sameJson(before, now)) return [];
    if (isJsonObject(before) && isJsonObject(now)) {
      const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
      return keys.flatMap((key) => changes(at(before, key), at(now, key), pointer + pointerToken(key)));
    }
  }
  return [{ pointer, before, now }];
}

const at = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
