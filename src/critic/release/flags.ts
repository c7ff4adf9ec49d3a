import { isSynonym, type Leaf } from './facts.ts';
import { NO_FLAG, type Occurrence, type WordAt } from './occurrence.ts';
import { stem } from './tokens.ts';
import { EXCLUDED_STATES, NEGATORS } from './words/lexicon.ts';

/** The flags that a clause states: booleans whose key it names, and with a negation fields that are empty or zero. */
export function readFlags(
  words: readonly WordAt[],
  leaves: readonly Leaf[],
  isNegative: boolean,
): readonly Occurrence[] {
  const fields = new Map<string, Leaf[]>();
  for (const leaf of leaves)
    if (leaf.own.size > 0) {
      const key = [...leaf.own].sort().join(' ');
      const column = fields.get(key);
      if (column === undefined) fields.set(key, [leaf]);
      else column.push(leaf);
    }
  const canDo = words.some(({ text }) => CAN.test(text));
  const named = [...words, ...compounds(words)];
  const found: (Occurrence & { readonly own: ReadonlySet<string> })[] = [];
  for (const column of fields.values()) {
    const own = column[0]?.own ?? new Set<string>();
    const isNone = isNegative && column.every((leaf) => polarityOf(leaf) === false);
    const isBoolean = column.some(({ kind }) => kind === 'boolean');
    const optional = isBoolean ? OPTIONAL_FLAG_KEYS : OPTIONAL_EMPTY_KEYS;
    const wordOf = (word: string): WordAt | undefined =>
      named.findLast((one) => isNamedBy(word, one.stem, canDo && isBoolean));
    const required = [...own].filter((word) => !OPTIONAL_KEYS.has(word) && !/^\d/u.test(word));
    const shortened = isNone && !canDo ? required.filter((word) => !optional.has(word)) : [];
    const full = (required.length === 0 ? [...own] : required).map(wordOf);
    const naming = full.every((one) => one !== undefined) || shortened.length === 0 ? full : shortened.map(wordOf);
    if (!naming.every((one) => one !== undefined)) continue;
    const equal = column.filter((leaf) => polarityOf(leaf) === !isNegative);
    const against = column.filter((leaf) => polarityOf(leaf) === isNegative);
    const isFlag = isNegative || column.some(({ kind }) => kind === 'boolean');
    if (!isFlag || equal.length + against.length === 0) continue;
    const from = Math.max(...naming.map((one) => one?.at ?? 0));
    const places = new Set(naming.map((one) => one?.at));
    const compound = named.slice(words.length).filter((one) => naming.includes(one));
    const parts = words.filter(({ at }) => places.has(at) || compound.some((one) => at < one.at && at >= one.at - 2));
    const used = new Set([...own, ...naming.map((one) => one?.stem ?? ''), ...parts.map((one) => one.stem)]);
    found.push({ ...NO_FLAG, from, to: from, stated: { type: 'flag' }, qualifier: 'exact', equal, against, used, own });
  }
  const isPartOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
    a.size < b.size && [...a].every((word) => b.has(word));
  const flags = found.filter(({ own }) => !found.some((other) => isPartOf(own, other.own)));
  if (!isNegative) return flags;
  const held = flags.filter(({ equal }) => equal.length > 0);
  const states = held.length > 0 ? held : excludedStates(words, leaves);
  return states.length > 0 ? states : flags;
}

/** "add-ons" and "rolled over" as one word each, as keys write them. */
const compounds = (words: readonly WordAt[]): readonly WordAt[] =>
  words.flatMap((word, place) => {
    const next = words[place + 1];
    return next !== undefined && next.at - word.at <= 2 ? [{ ...next, stem: stem(`${word.stem}${next.text}`) }] : [];
  });

/** A boolean key such as `refundable` is also named by its verb, where the clause says what can be done. */
const isNamedBy = (key: string, word: string, canDo: boolean): boolean => {
  const verb = key.replace(/[ai]bl$/u, '');
  return isSynonym(key, word) || (canDo && verb !== key && verb.length > 2 && stem(verb) === word);
};

/** Words of keys that a flag need not repeat: `last_login` is named by "no login". */
const OPTIONAL_KEYS: ReadonlySet<string> = new Set(
  'amount value total last latest current number next'.split(' ').map(stem),
);

/** Words that "no …" need not repeat: `appeal_status: null` supports "no appeal", `visa_required: false` "without a visa". */
const OPTIONAL_EMPTY_KEYS: ReadonlySet<string> = new Set(
  'status code limit used text reason date count required name type level id by since until details list entries records remaining left granted made given received reported time fee charge cost sum reading'
    .split(' ')
    .map(stem),
);
const OPTIONAL_FLAG_KEYS: ReadonlySet<string> = new Set(
  'required needed allowed included available enabled active permitted applied eligible present has have flag detected'
    .split(' ')
    .map(stem),
);

const CAN = /^(?:can|could|may|able|possible|cannot|can't|couldn't|get|would)$/u;

/** Whether a field affirms its key, denies it, or says neither. A text or a date affirms: it has been set. */
function polarityOf({ kind, value, number }: Leaf): boolean | null {
  if (kind === 'boolean') return value === true;
  if (kind === 'empty') return false;
  if (kind === 'moment') return true;
  return number !== null ? number.amount !== 0n : null;
}

const STATE_WORDS_MAX = 3;
/** The words that a state denies: the words of its parts. */
export function excludedBy({ kind, shape, words }: Leaf): ReadonlySet<string> {
  const isState = kind === 'text' && words.length <= STATE_WORDS_MAX && shape === 'state';
  return new Set(isState ? words.flatMap((word) => [...(EXCLUDED_STATES.get(word) ?? [])]) : []);
}

/** "not approved" follows from a state such as `pending`. */
function excludedStates(words: readonly WordAt[], leaves: readonly Leaf[]): readonly Occurrence[] {
  const negator = words.find(({ text }) => NEGATORS.has(text));
  for (const { at, text, stem: form } of words) {
    if (negator === undefined || at <= negator.at || leaves.some(({ own }) => own.has(form))) continue;
    const equal = leaves.filter((leaf) => excludedBy(leaf).has(text));
    if (equal.length > 0)
      return [
        { ...NO_FLAG, from: at, to: at, stated: { type: 'flag' }, qualifier: 'exact', equal, used: new Set([form]) },
      ];
  }
  return [];
}
