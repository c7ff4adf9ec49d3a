import { type Leaf, textWords } from './facts.ts';
import { excludedBy, readFlags } from './flags.ts';
import { type Match, matchValue, type Qualifier } from './match.ts';
import { type Clause, NO_FLAG, type Occurrence, type WordAt } from './occurrence.ts';
import { type Stated, stem, type Token, unitOf } from './tokens.ts';
import {
  ANTONYMS,
  APPROXIMATIONS,
  FUNCTION_WORDS,
  LIGHT_VERBS,
  LOWER_BOUNDS,
  NEGATORS,
  SAME_STATES,
  UPPER_BOUNDS,
} from './words/lexicon.ts';

const BREAKS: ReadonlySet<string> = new Set(['but', 'while', 'whereas', 'although', 'though']);
const STARTERS: ReadonlySet<string> = new Set('it they you your its the this that there he she i we both'.split(' '));
const FINITE: ReadonlySet<string> = new Set(
  "is are was were has have had does do did will costs renews expires ends starts arrives departs isn't aren't hasn't doesn't".split(
    ' ',
  ),
);

/** Splits a sentence into clauses: at semicolons and contrasts, and at "and" and "so" where another verb follows. */
export function splitClauses(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const clauses: Token[][] = [[]];
  const isOpening = tokens[0]?.kind === 'word' && BREAKS.has(tokens[0].text);
  const comma = isOpening ? tokens.findIndex(({ text }) => text === ',') : -1;
  for (const [at, token] of tokens.entries()) {
    if (isOpening && at === 0) continue;
    const current = clauses.at(-1) as Token[];
    const rest = tokens.slice(at + 1);
    const isBreak =
      at === comma ||
      (token.kind === 'mark' && /[;—–]/u.test(token.text)) ||
      (token.kind === 'word' && BREAKS.has(token.text) && current.length > 0) ||
      (isLink(token, rest[0]) && hasVerb(current) && beginsClause(rest)) ||
      (token.kind === 'mark' && token.text === ',' && hasVerb(current) && hasVerb(rest) && isPronoun(rest[0]));
    if (isBreak) clauses.push([]);
    else current.push(token);
  }
  return clauses.filter((clause) => clause.some(({ kind }) => kind !== 'mark'));
}

const isWord = (token: Token | undefined, text: string): boolean => token?.kind === 'word' && token.text === text;

/** "and", or "so" before a word: behind "so", a number is often computed from the values before it. */
const isLink = (token: Token, next: Token | undefined): boolean =>
  isWord(token, 'and') || (isWord(token, 'so') && next?.kind === 'word');

/** ", which …" and ", it's …" open a clause of their own. */
const isPronoun = (token: Token | undefined): boolean =>
  token?.kind === 'word' && /^(?:which|it|it's|they|they're|he|she|he's|she's|this|that's)$/u.test(token.text);

const isVerb = (token: Token | undefined): boolean =>
  token?.kind === 'word' &&
  (FINITE.has(token.text) || LIGHT_VERBS.has(token.text) || /(?:ed|paid|sent)$/u.test(token.text));

const hasVerb = (tokens: readonly Token[]): boolean => tokens.some(isVerb);

/** Whether the tokens go on with a clause of their own: a subject with a verb, or a verb. */
function beginsClause(tokens: readonly Token[]): boolean {
  const [first] = tokens;
  if (first === undefined || first.kind === 'mark') return false;
  if (isVerb(first)) return true;
  const end = tokens.findIndex((token) => token.kind === 'mark' || isWord(token, 'and'));
  return (
    (first.kind !== 'word' || first.capital || STARTERS.has(first.text)) &&
    hasVerb(end < 0 ? tokens : tokens.slice(0, end))
  );
}

/** Finds the values of a clause among the leaves that it may rest on. */
export function readClause(tokens: readonly Token[], leaves: readonly Leaf[]): Clause {
  const taken = new Set<number>();
  const texts = textOccurrences(tokens, leaves, taken);
  const parts = partOccurrences(tokens, leaves, taken);
  const occurrences = [...texts, ...parts, ...valueOccurrences(tokens, leaves, taken)].sort((a, b) => a.from - b.from);
  const keys = new Set(leaves.flatMap(({ full }) => [...full]));
  const wordAt = (token: Token, at: number): readonly WordAt[] => {
    if (token.kind !== 'word') return [];
    const base = ANTONYMS.get(token.text);
    if (base === undefined || keys.has(token.stem)) return [{ at, text: token.text, stem: token.stem }];
    return [
      { at, text: 'not', stem: 'not' },
      { at, text: base, stem: stem(base) },
    ];
  };
  const words = tokens.flatMap((token, at) => (taken.has(at) ? [] : wordAt(token, at)));
  const isState = (at: number): boolean =>
    occurrences.some(({ from, to, equal }) => at >= from && at < to && equal.every(({ shape }) => shape === 'state'));
  const naming = tokens.flatMap((token, at) => (taken.has(at) && !isState(at) ? [] : wordAt(token, at)));
  const isNegative = words.filter(({ text }) => NEGATORS.has(text)).length % 2 === 1;
  return { tokens, occurrences, words, naming, isNegative, flags: readFlags(words, leaves, isNegative) };
}

const TEXT_WORDS_MAX = 10;

function textOccurrences(tokens: readonly Token[], leaves: readonly Leaf[], taken: Set<number>): readonly Occurrence[] {
  const flat = tokens.flatMap((token, at) =>
    textWords(token.text).map((word) => ({ word: spelled(word), plain: word, at })),
  );
  const present = new Set(flat.map(({ word }) => word));
  const isNegative = tokens.some(({ text }) => NEGATORS.has(text));
  const excluded = new Set(isNegative ? leaves.flatMap((leaf) => [...excludedBy(leaf)]) : []);
  const texts = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const words = leaf.words.map(spelled);
    if (words.length === 1 && excluded.has(words[0] ?? '')) continue;
    if (/currency/iu.test(leaf.key) && !present.has('currency')) continue;
    if (leaf.kind !== 'text' || words.length === 0 || words.length > TEXT_WORDS_MAX) continue;
    if ((words.length === 1 && FUNCTION_WORDS.has(words[0] ?? '')) || !words.every((word) => present.has(word)))
      continue;
    const text = words.join(' ');
    const holders = texts.get(text);
    if (holders === undefined) texts.set(text, [leaf]);
    else holders.push(leaf);
  }
  for (const leaf of leaves) {
    const [word = '', ...rest] = leaf.words;
    const state =
      leaf.kind === 'text' && leaf.shape === 'state' && rest.length === 0 ? SAME_STATES.get(word) : undefined;
    const other = flat.find(({ plain }) => plain !== word && SAME_STATES.get(plain) === state)?.word;
    if (state !== undefined && other !== undefined && !excluded.has(other) && !texts.has(spelled(word)))
      texts.set(other, [...(texts.get(other) ?? []), leaf]);
  }
  const found: Occurrence[] = [];
  for (const [text, equal] of [...texts].sort(([a], [b]) => b.length - a.length)) {
    const words = text.split(' ');
    for (let from = 0; from + words.length <= flat.length; from += 1) {
      const span = flat.slice(from, from + words.length);
      if (!span.every(({ word, at }, place) => word === words[place] && !taken.has(at))) continue;
      const isPlural =
        words.length === 1 &&
        span[0]?.plain !== equal[0]?.words[0] &&
        !SAME_STATES.has(span[0]?.plain ?? '') &&
        /[^s]s$/u.test(span[0]?.plain ?? '');
      if (isPlural) continue;
      const [first, last] = [span[0]?.at ?? 0, span.at(-1)?.at ?? 0];
      // A part of a hyphenated word or of a date is not a text of its own.
      if (flat[from - 1]?.at === first || flat[from + words.length]?.at === last) continue;
      for (let at = first; at <= last; at += 1) taken.add(at);
      found.push({ ...NO_FLAG, from: first, to: last + 1, stated: { type: 'text', text }, qualifier: 'exact', equal });
    }
  }
  return found;
}

/** British and American spellings of common states are one word, and so are singular and plural. */
const spelled = (word: string): string =>
  word.replace(/^(cancel|travel|label)(ed|ing)$/u, '$1l$2').replace(/^(\p{L}{3,}[^s])s$/u, '$1');

/** A capitalized word that stands in exactly one name of the facts means that name: "Mila" for "Mila Novak". */
function partOccurrences(tokens: readonly Token[], leaves: readonly Leaf[], taken: Set<number>): readonly Occurrence[] {
  const keys = new Set(leaves.flatMap(({ own, path }) => [...own, ...path]));
  const found: Occurrence[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'word' || !token.capital || taken.has(at) || keys.has(token.stem)) continue;
    const [word = ''] = textWords(token.text);
    if (word.length < 3 || FUNCTION_WORDS.has(word) || LIGHT_VERBS.has(word)) continue;
    const equal = leaves.filter(
      ({ kind, words, shape, key }) =>
        kind === 'text' &&
        !/currency/iu.test(key) &&
        shape !== 'prose' &&
        words.length < 6 &&
        words.includes(word) &&
        !/\d/u.test(words.join()),
    );
    const [text, ...others] = new Set(equal.map(({ words }) => words.join(' ')));
    if (text === undefined || others.length > 0) continue;
    taken.add(at);
    const before = found.at(-1);
    const isSame = before?.to === at && before.stated.type === 'text' && before.stated.text === text;
    if (isSame) found[found.length - 1] = { ...before, to: at + 1 };
    else found.push({ ...NO_FLAG, from: at, to: at + 1, stated: { type: 'text', text }, qualifier: 'exact', equal });
  }
  return found;
}

function valueOccurrences(
  tokens: readonly Token[],
  leaves: readonly Leaf[],
  taken: Set<number>,
): readonly Occurrence[] {
  return tokens.flatMap((token, at): readonly Occurrence[] => {
    if (token.kind !== 'value' || taken.has(at)) return [];
    const qualifier = qualifierAt(tokens, at, taken);
    const isDated = /^(?:in|of|since|for|during|by|until|from|to|and|through)$/u.test(tokens[at - 1]?.text ?? '');
    const matched = leaves.map((leaf) => ({
      leaf,
      match:
        leaf.moment !== null && token.value.type === 'number' && !isDated
          ? ('different' as const)
          : matchIn(tokens, token.value, leaf, qualifier),
    }));
    const equal = matched.flatMap(({ leaf, match }) => (match === 'equal' ? [leaf] : []));
    const near = matched.filter(({ match }) => match === 'unit' || match === 'open');
    return [{ ...NO_FLAG, from: at, to: at + 1, stated: token.value, qualifier, equal, near }];
  });
}

/** A bare number takes its unit from a word of the clause: "remaining days: 8.5", "46 freeze days". */
function matchIn(tokens: readonly Token[], stated: Stated, leaf: Leaf, qualifier: Qualifier): Match {
  const match = matchValue(stated, leaf, qualifier);
  const unit = leaf.number?.unit;
  const isOpen = match === 'open' && stated.type === 'number' && stated.unit === null && stated.currency === null;
  if (!isOpen || unit == null) return match;
  return tokens.some((token) => token.kind === 'word' && unitOf(token.text) === unit) ? 'equal' : match;
}

const PHRASES: ReadonlyMap<string, Qualifier> = new Map([
  ['more than', 'over'],
  ['greater than', 'over'],
  ['less than', 'under'],
  ['fewer than', 'under'],
]);

const QUALIFIERS: readonly (readonly [words: ReadonlySet<string>, qualifier: Qualifier])[] = [
  [APPROXIMATIONS, 'about'],
  [LOWER_BOUNDS, 'over'],
  [UPPER_BOUNDS, 'under'],
];

/** Reads the qualifier before a value, and marks its words as used. */
function qualifierAt(tokens: readonly Token[], at: number, taken: Set<number>): Qualifier {
  const text = (place: number): string => {
    const token = tokens[place];
    return token?.kind === 'word' ? token.text : '';
  };
  const phrase = PHRASES.get(`${text(at - 2)} ${text(at - 1)}`);
  if (phrase !== undefined) {
    taken.add(at - 2).add(at - 1);
    return phrase;
  }
  const found = QUALIFIERS.find(([words]) => words.has(text(at - 1)))?.[1];
  if (found !== undefined) taken.add(at - 1);
  return found ?? 'exact';
}
