import type { AnswerFact } from '../../model/evidence/answer.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { decimal } from './amounts.ts';
import { type FactMoment, factMoment } from './dates.ts';
import { normalize } from './phrases.ts';
import { stem, tokenize, unitOf } from './tokens.ts';
import { EFFECT_STEMS } from './words/act-words.ts';
import { GENERIC_KEYS, KEY_NOISE, MONEY_KEYS, READ_STEMS } from './words/field-words.ts';
import { CURRENCIES, MINOR_UNITS, UNITS } from './words/measures.ts';
import { SYNONYMS } from './words/synonyms.ts';

export interface NumberLeaf {
  readonly amount: bigint;
  /** Whether the stored number counts hundredths. */
  readonly minor: boolean;
  /** The currencies it can be in; null if it is not known to be money. */
  readonly currencies: readonly string[] | null;
  /** Whether the key alone says the currency: `price_cents` may be in any with cents. */
  readonly isGuess: boolean;
  readonly unit: string | null;
}

/** One scalar of a fact, with the words of its key and the record it belongs to. */
export interface Leaf {
  readonly ref: string;
  readonly pointer: string;
  readonly key: string;
  /** The stems of its own key, and of the keys above it. */
  readonly own: ReadonlySet<string>;
  readonly path: ReadonlySet<string>;
  /** The stems of the complete key, units included. */
  readonly full: ReadonlySet<string>;
  /** The records it belongs to, outermost first: the fact, then each list element around it. */
  readonly records: readonly string[];
  readonly value: Json;
  readonly kind: 'number' | 'moment' | 'text' | 'boolean' | 'empty';
  readonly number: NumberLeaf | null;
  readonly moment: FactMoment | null;
  /** The words of a text, lower case. */
  readonly words: readonly string[];
  /** The look of a text: an identifier, a state such as `in_transit`, a name, or prose. */
  readonly shape: TextShape | null;
  readonly hidden: boolean;
  readonly untrusted: boolean;
}

export type TextShape = 'id' | 'state' | 'name' | 'prose';

const STATE_KEYS = /stat(?:e|us)|stage|result|outcome|phase|decision|verdict|conclusion|reason|type|kind/iu;

const shapeOf = (text: string, words: readonly string[], key: string): TextShape => {
  if (!/\s/u.test(text) && /\d|@/u.test(text)) return 'id';
  if (words.length > 8 || (words.length > 4 && /[.!?]$/u.test(text))) return 'prose';
  const isCode = /^[A-Z][A-Z_ ]{3,}$/u.test(text) && STATE_KEYS.test(key);
  return /^\p{Lu}/u.test(text) && !isCode ? 'name' : 'state';
};

/** A list of a fact: its length, and whether it is known to be whole. */
export interface ListNode {
  readonly ref: string;
  readonly pointer: string;
  readonly own: ReadonlySet<string>;
  readonly elements: readonly string[];
  /** The elements, for look-ups. */
  readonly members: ReadonlySet<string>;
  readonly complete: boolean;
  readonly hidden: boolean;
}

export interface FactIndex {
  readonly leaves: readonly Leaf[];
  readonly lists: readonly ListNode[];
  /** The stems of the names of tools. */
  readonly toolWords: ReadonlySet<string>;
  /** The stems of the names of tools that changed something. */
  readonly effectWords: ReadonlySet<string>;
  /** The facts of these tools. */
  readonly effectRefs: ReadonlySet<string>;
}

const SENSES: ReadonlyMap<string, ReadonlySet<number>> = (() => {
  const senses = new Map<string, Set<number>>();
  for (const [row, synonyms] of SYNONYMS.entries())
    for (const word of synonyms) senses.set(stem(word), (senses.get(stem(word)) ?? new Set()).add(row));
  return senses;
})();

/** Whether two stems are equal or stand in one line of the synonyms. */
export function isSynonym(a: string, b: string): boolean {
  if (a === b) return true;
  const [rows, others] = [SENSES.get(a), SENSES.get(b)];
  return rows !== undefined && others !== undefined && [...rows].some((row) => others.has(row));
}

/** Whether a stem stands in the synonyms, and so names a field. */
export const isFieldWord = (word: string): boolean => SENSES.has(word);

/** Splits a key into words: `renewsAt`, `renews_at` and `renews-at` become renews and at. */
export const keyWords = (key: string): readonly string[] =>
  key
    .replace(/([a-z\d])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');

/** The words of a text, lower case, with `_` and `-` as blanks, so that `in_transit` matches "in transit". */
export const textWords = (text: string): readonly string[] =>
  text
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\d'’@.+#&%$€£]+|(?<=\p{L})\.(?=\p{L})/u)
    .map((word) => word.replace(/[’']s$/u, '').replace(/^[.'’]+|[.'’]+$/gu, ''))
    .filter((word) => word !== '');

const stemsOf = (words: readonly string[]): ReadonlySet<string> => {
  const meaning = words.filter((word) => !KEY_NOISE.has(word));
  return new Set((meaning.length === 0 ? words : meaning).map(stem));
};

const isAt = (pointer: string, marks: readonly string[] | undefined): boolean =>
  marks?.some((mark) => pointer === mark || pointer.startsWith(`${mark}/`)) === true;

/** Lists every scalar and every list of the facts. */
export function indexFacts(facts: readonly AnswerFact[]): FactIndex {
  const leaves: Leaf[] = [];
  const lists: ListNode[] = [];
  for (const fact of facts) walkFact(fact, leaves, lists);
  const named = facts.map((fact) => ({ fact, words: keyWords(fact.tool).map(stem) }));
  const changes = named.filter(({ fact, words }) => fact.effect ?? isEffect(words));
  return {
    leaves,
    lists,
    toolWords: new Set(named.flatMap(({ words }) => words)),
    effectWords: new Set(changes.flatMap(({ words }) => words)),
    effectRefs: new Set(changes.map(({ fact }) => fact.ref)),
  };
}

const isEffect = (words: readonly string[]): boolean =>
  !words.some((word) => READ_STEMS.has(word)) && words.some((word) => EFFECT_STEMS.has(word));

type KeyStems = Pick<Leaf, 'own' | 'path' | 'full'> & { readonly listed: ReadonlySet<string> };

/** The stems of a key: a generic key such as `amount` takes over the stems of the key above it. */
function keyStems(keys: readonly string[]): KeyStems {
  const words = keyWords(keys.at(-1) ?? '');
  const parent = keys.at(-2);
  const listed = stemsOf(words);
  const isGeneric = parent !== undefined && words.every((word) => GENERIC_KEYS.has(word) || KEY_NOISE.has(word));
  return {
    listed,
    own: isGeneric ? new Set([...listed, ...stemsOf(keyWords(parent))]) : listed,
    path: new Set(keys.slice(0, -1).flatMap((one) => [...stemsOf(keyWords(one))])),
    full: new Set(words.map(stem)),
  };
}

/** A place in a fact: its pointer, the keys and objects above it, and the records around it. */
interface Place {
  readonly pointer: string;
  readonly keys: readonly string[];
  readonly records: readonly string[];
  /** The object around it, and the currency that the nearest object with one states. */
  readonly parent: JsonObject | undefined;
  readonly currency: string | null;
}

/** Deeper parts of a fact are not read, so no sentence can rest on them. */
const DEPTH_MAX = 32;

function walkFact(fact: AnswerFact, leaves: Leaf[], lists: ListNode[]): void {
  const isMinor = hasMinorKey(fact.value);
  const known = new Map<string, KeyStems>();
  const stemsAt = (keys: readonly string[]): KeyStems => {
    const name = keys.join('\n');
    const found = known.get(name) ?? keyStems(keys);
    known.set(name, found);
    return found;
  };
  const visit = (node: Json, { pointer, keys, records, parent, currency }: Place): void => {
    const { listed, ...stems } = stemsAt(keys);
    const marks = { hidden: isAt(pointer, fact.hidden), untrusted: isAt(pointer, fact.untrusted) };
    if (keys.length + records.length > DEPTH_MAX) return;
    if (isJsonList(node)) {
      const elements = node.map((_, place) => `${fact.ref}${pointer}/${place}`);
      const complete = node.length === 0 || (fact.complete?.includes(pointer) ?? false);
      lists.push({
        ref: fact.ref,
        pointer,
        own: listed,
        elements,
        members: new Set(elements),
        complete,
        hidden: marks.hidden,
      });
      for (const [place, child] of node.entries())
        visit(child, {
          pointer: `${pointer}/${place}`,
          keys,
          records: [...records, elements[place] ?? ''],
          parent,
          currency,
        });
      if (node.length > 0) return;
    } else if (isJsonObject(node)) {
      const own = currencyOf(node) ?? currency;
      for (const [name, child] of Object.entries(node))
        visit(child, {
          pointer: `${pointer}${pointerToken(name)}`,
          keys: [...keys, name],
          records,
          parent: node,
          currency: own,
        });
      return;
    }
    const key = keys.at(-1) ?? '';
    leaves.push({
      ref: fact.ref,
      pointer,
      key,
      ...stems,
      records,
      value: node,
      ...marks,
      ...typed(node, { key, keys, parent, currency, isMinor }),
    });
  };
  visit(fact.value, { pointer: '', keys: [], records: [fact.ref], parent: undefined, currency: null });
}

type Typed = Pick<Leaf, 'kind' | 'number' | 'moment' | 'words' | 'shape'>;

/** Whether a fact counts money in hundredths: then a number without such a key is no money. */
const hasMinorKey = (node: Json, depth = 0): boolean => {
  if (depth > DEPTH_MAX) return false;
  if (isJsonList(node)) return node.some((child) => hasMinorKey(child, depth + 1));
  return (
    isJsonObject(node) &&
    Object.entries(node).some(
      ([key, child]) => keyWords(key).some((word) => MINOR_UNITS.has(word)) || hasMinorKey(child, depth + 1),
    )
  );
};

/** The keys and the objects around a scalar, as far as they say its unit and its currency. */
interface Around extends Pick<Place, 'keys' | 'parent' | 'currency'> {
  readonly key: string;
  readonly isMinor: boolean;
}

function typed(value: Json, around: Around): Typed {
  const none = { number: null, moment: null, words: [], shape: null };
  if (typeof value === 'boolean') return { ...none, kind: 'boolean' };
  if (typeof value === 'number') return { ...none, kind: 'number', number: numberLeaf(value, around) };
  if (typeof value !== 'string' || value === '') return { ...none, kind: 'empty' };
  const moment = factMoment(value);
  if (moment !== null) return { ...none, kind: 'moment', moment };
  const words = textWords(value);
  return { ...none, kind: 'text', words, shape: shapeOf(value, words, around.key), number: moneyText(value) };
}

/** Reads a text that is nothing but a number with its currency or unit, such as `EUR 12.50`. */
function moneyText(text: string): NumberLeaf | null {
  if (text.length > 24 || !/\d/u.test(text)) return null;
  const [token, ...others] = tokenize(text);
  if (others.length > 0 || token?.kind !== 'value' || token.value.type !== 'number') return null;
  const { amounts, currency, minor, unit } = token.value;
  const [amount] = amounts;
  if (amount === undefined) return null;
  return {
    amount: minor ? amount / 100n : amount,
    minor: false,
    currencies: currency === null ? null : [currency],
    isGuess: false,
    unit,
  };
}

function numberLeaf(value: number, { key, keys, parent, currency: sibling, isMinor }: Around): NumberLeaf {
  const words = keyWords(key);
  const amount = decimal(String(value)) ?? decimal(value.toFixed(9)) ?? 1n; // 1n: neither zero nor any stated amount
  const minorWord = words.find((word) => MINOR_UNITS.has(word));
  const named = words.map((word) => CURRENCIES.get(word)).find((code) => code !== undefined);
  const unit =
    minorWord === undefined
      ? (unitWords(normalize(words.join(' ')).split(' '))
          .map(unitOf)
          .findLast((found) => found !== null) ?? siblingUnit(key, parent))
      : null;
  const isMoney =
    minorWord !== undefined ||
    named !== undefined ||
    (!isMinor && unit === null && keys.some((one) => keyWords(one).some((word) => MONEY_KEYS.has(word))));
  const minors = minorWord === undefined ? null : (MINOR_UNITS.get(minorWord) ?? []);
  const one = named ?? sibling;
  const currencies = !isMoney ? null : one !== null && one !== undefined ? [one] : (minors ?? []);
  return {
    amount: minorWord === undefined ? amount : amount / 100n,
    minor: minorWord !== undefined,
    currencies,
    isGuess: one == null && minorWord !== 'pence',
    unit,
  };
}

/** The words of a key that can say its unit: in `granted_per_year` and `visits_last_30_days` the last word is none. */
const unitWords = (words: readonly string[]): readonly string[] => {
  const end = words.findIndex((word) => /^(?:per|last|past|next|every|within|\d+)$/u.test(word));
  return end < 0
    ? words
    : [...words.slice(0, end), ...words.slice(end).filter((word) => /^(?:mm|cm|kg|gb|mb|pct|percent)$/u.test(word))];
};

function currencyOf(parent: JsonObject): string | null {
  for (const [key, value] of Object.entries(parent))
    if (/currency/iu.test(key) && typeof value === 'string')
      return CURRENCIES.get(value.toLowerCase()) ?? value.toUpperCase();
  return null;
}

/** The unit in a neighbouring field: `{ "weight": 3, "unit": "kg" }` or `weight_unit`. */
function siblingUnit(key: string, parent: JsonObject | undefined): string | null {
  for (const name of [`${key}_unit`, 'unit', 'units']) {
    const value = parent !== undefined && Object.hasOwn(parent, name) ? parent[name] : undefined;
    if (typeof value === 'string') return unitOf(value) ?? unitOf(value.split('/')[0] ?? '');
  }
  return null;
}

/** Two amounts in the smallest unit of a common dimension; null if the units do not convert. */
export function inCommonUnit(a: bigint, unitA: string, b: bigint, unitB: string): readonly [bigint, bigint] | null {
  const [dimensionA, sizeA] = UNITS.get(unitA) ?? ['', 0];
  const [dimensionB, sizeB] = UNITS.get(unitB) ?? ['', 1];
  return dimensionA === dimensionB ? [a * BigInt(sizeA), b * BigInt(sizeB)] : null;
}

/** The innermost record that a leaf belongs to. Its name has the pointer, so that it stands for the whole chain. */
export const recordOf = ({ records }: Pick<Leaf, 'records'>): string => records.at(-1) ?? '';

/** The leaves with the same key in the elements of a list. */
export const columnOf = ({ key }: Leaf, { members }: ListNode, leaves: readonly Leaf[]): readonly Leaf[] =>
  leaves.filter((leaf) => leaf.key === key && members.has(recordOf(leaf)));

/** The numeric fields of a list: for each key, its leaves in the elements. */
export function columnsOf(list: ListNode, leaves: readonly Leaf[]): readonly (readonly Leaf[])[] {
  const columns = new Map<string, Leaf[]>();
  const { members: elements } = list;
  for (const leaf of leaves)
    if (leaf.number !== null && elements.has(recordOf(leaf)))
      columns.set(leaf.key, [...(columns.get(leaf.key) ?? []), leaf]);
  return [...columns.values()];
}

/** Gives amounts without a currency the one currency that all facts of the answer use. */
export function withCurrency(index: FactIndex): FactIndex {
  const [currency, ...others] = new Set(
    index.leaves.flatMap(({ number }) =>
      number?.currencies?.length === 1 && !number.isGuess ? number.currencies : [],
    ),
  );
  if (currency === undefined || others.length > 0) return index;
  const isOpen = ({ number }: Leaf): boolean => number?.currencies != null && number.isGuess;
  const leaves = index.leaves.map((leaf) =>
    leaf.number === null || !isOpen(leaf)
      ? leaf
      : { ...leaf, number: { ...leaf.number, currencies: [currency], isGuess: false } },
  );
  return { ...index, leaves };
}
