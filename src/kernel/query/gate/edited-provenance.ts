import type { Provenance } from '../../../model/evidence/evidence.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../model/json/json.ts';
import { sameJson } from '../../../model/json/json-at.ts';
import { pointerToken } from '../../../model/json/pointer.ts';

type Sources = Readonly<Record<string, Provenance>>;

/**
 * The source of each argument after an edit. Unchanged values keep their source; new ones have the editor as source. A
 * value that an untrusted source may have written keeps that source wherever it is moved to; otherwise removing one
 * line of a list would make the rest of it trusted.
 */
export function provenanceAfterEdit(
  sources: Sources,
  before: JsonObject,
  after: JsonObject,
  editor: Provenance,
): Sources {
  const untrusted = new Map<string, Provenance>();
  collectUntrusted(untrusted, sources, before, '', undefined);
  const edited: Record<string, Provenance> = {};
  const compare = (value: Json, old: Json | undefined, pointer: string, outer: Provenance | undefined): void => {
    const source = own(sources, pointer) ?? outer;
    if (source !== undefined && old !== undefined && sameJson(value, old)) edited[pointer] = source;
    else if (isLeaf(value)) edited[pointer] = untrusted.get(canonicalize(value)) ?? editor;
    else {
      for (const [key, child] of Object.entries(value ?? {})) {
        compare(child, childOf(old, key), pointer + pointerToken(key), source);
      }
    }
  };
  compare(after, before, '', undefined);
  return edited;
}

/** Collects every leaf value that comes from an untrusted source, its own or an enclosing one. */
function collectUntrusted(
  untrusted: Map<string, Provenance>,
  sources: Sources,
  value: Json,
  pointer: string,
  outer: Provenance | undefined,
): void {
  const source = own(sources, pointer) ?? outer;
  if (isLeaf(value)) {
    if (source?.trusted === false) untrusted.set(canonicalize(value), source);
  } else {
    for (const [key, child] of Object.entries(value ?? {})) {
      collectUntrusted(untrusted, sources, child, pointer + pointerToken(key), source);
    }
  }
}

const isLeaf = (value: Json): boolean => typeof value !== 'object' || value === null || Object.keys(value).length === 0;

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (isJsonList(value)) return value[Number(key)];
  return isJsonObject(value) ? own(value, key) : undefined;
}
