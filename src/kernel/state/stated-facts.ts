import type { StatedFact } from '../../model/evidence/evidence.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { sameJson, stepInto } from '../../model/json/json-at.ts';
import { pointerKeys, pointerToken } from '../../model/json/pointer.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { type Assoc, assocGet, assocPut } from './assoc.ts';
import { type Vec, vecEmpty, vecPush, vecToArray } from './vec.ts';

/** Statements of sources, by subject. A later statement of a source replaces its earlier one. */
export interface StatedFacts {
  readonly byPlace: Assoc<readonly StatedFact[]>;
  /** Places where sources began to disagree, one entry per disagreement. */
  readonly contested: Vec<string>;
}

/** A conflict of sources about which nothing was learned yet: `known` is the number of pieces of evidence at that time. */
export interface OpenConflict {
  readonly message: string;
  readonly known: number;
}

export const NOTHING_STATED: StatedFacts = Object.freeze({ byPlace: null, contested: vecEmpty });

const NONE: readonly StatedFact[] = Object.freeze([]);

/** Returns the facts that a committed answer asserts, as its tool declares them. A missing value asserts nothing. */
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

export function stateFact(stated: StatedFacts, fact: StatedFact): StatedFacts {
  const place = placeOf(fact);
  const before = statementsAt(stated, place);
  const after = [...before.filter(({ source }) => source !== fact.source), fact];
  const isNews = isDisputed(after) && !isDisputed(before);
  return {
    byPlace: assocPut(stated.byPlace, place, after),
    contested: isNews ? vecPush(stated.contested, place) : stated.contested,
  };
}

const isDisputed = ([first, ...others]: readonly StatedFact[]): boolean =>
  first !== undefined && others.some(({ value }) => !sameJson(first.value, value));

/** Returns all sources' statements about the subject of this fact. */
export function statementsAbout(stated: StatedFacts, fact: StatedFact): readonly StatedFact[] {
  return statementsAt(stated, placeOf(fact));
}

/** Returns all statements about subjects on which sources have ever disagreed. */
export function contestedFacts(stated: StatedFacts): readonly StatedFact[] {
  if (stated.contested.size === 0) return NONE;
  return [...new Set(vecToArray(stated.contested))].flatMap((place) => statementsAt(stated, place));
}

const statementsAt = ({ byPlace }: StatedFacts, place: string): readonly StatedFact[] =>
  assocGet(byPlace, place) ?? NONE;

const placeOf = ({ type, subject, path }: StatedFact): string => JSON.stringify([type, subject, path]);

function valueAt(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const token of pointerKeys(pointer)) value = value === undefined ? undefined : stepInto(value, token);
  return value;
}
