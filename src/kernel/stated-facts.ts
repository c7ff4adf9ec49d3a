import { canonicalize } from '../model/canonical.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { pointerToken } from '../model/pointer.ts';
import type { StatedFact } from '../model/sourced-fact.ts';
import type { ToolSpec } from '../model/tool.ts';
import { type Assoc, assocGet, assocPut } from './assoc.ts';
import { type Vec, vecEmpty, vecPush, vecToArray } from './vec.ts';
import { stepInto, tokensOf } from './verify/pointer-walk.ts';
import { sameJson } from './verify/same-json.ts';

/**
 * What sources have said, by what they said it about. A source that is asked again corrects itself: of each only the
 * newest word stands. Looking one thing up costs the same, however much has been said.
 */
export interface Stated {
  readonly byPlace: Assoc<readonly StatedFact[]>;
  /** Where sources came to disagree, as often as they did. */
  readonly contested: Vec<string>;
}

export const NOTHING_STATED: Stated = Object.freeze({ byPlace: null, contested: vecEmpty });

const NONE: readonly StatedFact[] = Object.freeze([]);

/** What a committed answer asserts, as its tool declares it. What it leaves out, it says nothing about. */
export function assertedBy(
  { name, trusted, asserts = [] }: ToolSpec,
  args: JsonObject,
  committed: { readonly value: Json; readonly evidenceId: string },
): readonly StatedFact[] {
  return asserts.flatMap(({ type, subject: about, values }): readonly StatedFact[] => {
    const asked = valueAt(args, about);
    if (asked === undefined) return NONE;
    const subject = typeof asked === 'string' ? asked : canonicalize(asked);
    return Object.entries(values).flatMap(([what, where]): readonly StatedFact[] => {
      const value = valueAt(committed.value, where);
      if (value === undefined) return NONE;
      const path = pointerToken(what);
      return [{ evidence_id: committed.evidenceId, source: name, trusted, type, subject, path, value }];
    });
  });
}

export function stateFact(stated: Stated, fact: StatedFact): Stated {
  const place = placeOf(fact);
  const before = standing(stated, place);
  const after = [...before.filter(({ source }) => source !== fact.source), fact];
  const isNews = disagree(after) && !disagree(before);
  return {
    byPlace: assocPut(stated.byPlace, place, after),
    contested: isNews ? vecPush(stated.contested, place) : stated.contested,
  };
}

const disagree = ([first, ...others]: readonly StatedFact[]): boolean =>
  first !== undefined && others.some(({ value }) => !sameJson(first.value, value));

/** What everybody says about the same thing as this fact. */
export function saidAbout(stated: Stated, fact: StatedFact): readonly StatedFact[] {
  return standing(stated, placeOf(fact));
}

/** All that is said where sources have ever disagreed: the little that the whole run may stumble over. */
export function contestedFacts(stated: Stated): readonly StatedFact[] {
  if (stated.contested.size === 0) return NONE;
  return [...new Set(vecToArray(stated.contested))].flatMap((place) => standing(stated, place));
}

const standing = ({ byPlace }: Stated, place: string): readonly StatedFact[] => assocGet(byPlace, place) ?? NONE;

const placeOf = ({ type, subject, path }: StatedFact): string => JSON.stringify([type, subject, path]);

function valueAt(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const token of tokensOf(pointer)) value = value === undefined ? undefined : stepInto(value, token);
  return value;
}
