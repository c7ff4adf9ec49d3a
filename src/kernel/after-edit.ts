import { canonicalize } from '../model/canonical.ts';
import type { Provenance } from '../model/evidence.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import { pointerToken } from '../model/pointer.ts';
import { sameJson } from './verify/same-json.ts';

type Sources = Readonly<Record<string, Provenance>>;

/**
 * Where arguments come from once somebody has edited them. What stands where it stood keeps its source; what is new is
 * the editor's. What an outsider may have written stays theirs wherever it was moved to, or taking one line out of a list
 * would make the rest of it the editor's word.
 */
export function afterEdit(sources: Sources, before: JsonObject, after: JsonObject, editor: Provenance): Sources {
  const foreign = new Map<string, Provenance>();
  findForeign(foreign, sources, before, '', undefined);
  const edited: Record<string, Provenance> = {};
  const compare = (value: Json, was: Json | undefined, pointer: string, around: Provenance | undefined): void => {
    const source = own(sources, pointer) ?? around;
    if (source !== undefined && was !== undefined && sameJson(value, was)) edited[pointer] = source;
    else if (isLeaf(value)) edited[pointer] = foreign.get(canonicalize(value)) ?? editor;
    else {
      for (const [key, child] of Object.entries(value ?? {})) {
        compare(child, childOf(was, key), pointer + pointerToken(key), source);
      }
    }
  };
  compare(after, before, '', undefined);
  return edited;
}

/** Every single value that comes from an untrusted source, also where all of it came from one place. */
function findForeign(
  foreign: Map<string, Provenance>,
  sources: Sources,
  value: Json,
  pointer: string,
  around: Provenance | undefined,
): void {
  const source = own(sources, pointer) ?? around;
  if (isLeaf(value)) {
    if (source?.trusted === false) foreign.set(canonicalize(value), source);
  } else {
    for (const [key, child] of Object.entries(value ?? {})) {
      findForeign(foreign, sources, child, pointer + pointerToken(key), source);
    }
  }
}

const isLeaf = (value: Json): boolean => typeof value !== 'object' || value === null || Object.keys(value).length === 0;

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (isJsonList(value)) return value[Number(key)];
  return isJsonObject(value) ? own(value, key) : undefined;
}
