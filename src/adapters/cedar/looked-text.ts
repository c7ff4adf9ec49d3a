import { canonicalize } from '../../model/canonical.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type LookedCall, plainRecord } from './look.ts';
import { type CedarValues, NOTHING_FOUND } from './values.ts';

/** What was looked at of the circumstances of a call, in canonical form: the same whatever order it was found in. */
export function circumstancesText({ args, evidence, plain, remaining }: LookedCall): string {
  const documents = `"args":${tablesText(args)},"evidence":${tablesText(evidence)}`;
  return `${documents},"plain":${canonicalize(setsInOrder(plainRecord(plain)))},"remaining":${canonicalize(remaining)}`;
}

/** All that was looked at of a call: those, and who would make it with what. */
export function callText({ action, principal, resource }: LookedCall, circumstances: string): string {
  const [who, what] = [principal, resource].map((part) => canonicalize(part as unknown as Json));
  return `{"action":"${action}",${circumstances},"principal":${who},"resource":${what}}`;
}

const NOTHING: string = canonicalize(NOTHING_FOUND as unknown as Json);

function tablesText(values: CedarValues | null): string {
  if (values === NOTHING_FOUND) return NOTHING;
  return values === null ? 'null' : canonicalize(setsInOrder(values as unknown as JsonObject));
}

/** Lists at the top of these are sets of names, which no rule sees in any order. */
function setsInOrder(sets: Readonly<Record<string, unknown>>): Json {
  const names = Object.keys(sets);
  if (names.every((name) => !isUnordered(sets[name]))) return sets as Json;
  return Object.fromEntries(names.map((name) => [name, inOrder(sets[name])])) as Json;
}

const isUnordered = (value: unknown): value is readonly string[] => Array.isArray(value) && value.length > 1;
const inOrder = (value: unknown): unknown => (isUnordered(value) ? value.toSorted() : value);
