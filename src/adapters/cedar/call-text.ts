import { canonicalize } from '../../model/json/canonical.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { plainRecord, type ReadCall } from './read-parts.ts';
import { type CedarValues, NOTHING_FOUND } from './values.ts';

/** The canonical text of a call's circumstances; it does not depend on their order. */
export function circumstancesText({ args, evidence, plain, remaining }: ReadCall): string {
  const documents = `"args":${tablesText(args)},"evidence":${tablesText(evidence)}`;
  return `${documents},"plain":${canonicalize(setsInOrder(plainRecord(plain)))},"remaining":${canonicalize(remaining)}`;
}

/** The canonical text of a call: its circumstances, principal and tool. */
export function callText({ action, principal, resource }: ReadCall, circumstances: string): string {
  const [who, what] = [principal, resource].map((part) => canonicalize(part as unknown as Json));
  return `{"action":"${action}",${circumstances},"principal":${who},"resource":${what}}`;
}

const NOTHING: string = canonicalize(NOTHING_FOUND as unknown as Json);

function tablesText(values: CedarValues | null): string {
  if (values === NOTHING_FOUND) return NOTHING;
  return values === null ? 'null' : canonicalize(setsInOrder(values as unknown as JsonObject));
}

/** Sorts the top-level lists, which are sets of names: no rule depends on their order. */
function setsInOrder(sets: Readonly<Record<string, unknown>>): Json {
  const names = Object.keys(sets);
  if (names.every((name) => !isUnordered(sets[name]))) return sets as Json;
  return Object.fromEntries(names.map((name) => [name, inOrder(sets[name])])) as Json;
}

const isUnordered = (value: unknown): value is readonly string[] => Array.isArray(value) && value.length > 1;

const inOrder = (value: unknown): unknown => (isUnordered(value) ? value.toSorted() : value);
