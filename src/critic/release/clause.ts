import { type Leaf, textWords } from './facts.ts';
import { APPROXIMATIONS, FUNCTION_WORDS, LIGHT_VERBS, LOWER_BOUNDS, UPPER_BOUNDS } from './lexicon.ts';
import { type Match, matchValue, type Qualifier } from './match.ts';
import type { Stated, Token } from './tokens.ts';

/** A value of a clause: a number, date, identifier or link, or a text of the facts that stands in the clause. */
export interface Occurrence {
  readonly from: number;
  readonly to: number;
  readonly stated: Stated | { readonly type: 'text'; readonly text: string };
  readonly qualifier: Qualifier;
  /** The leaves that hold this value, and those that hold its digits in another or an unknown unit. */
  readonly equal: readonly Leaf[];
  readonly near: readonly { readonly leaf: Leaf; readonly match: Match }[];
}

/** A clause: its tokens, its values, and the words that are left. */
export interface Clause {
  readonly tokens: readonly Token[];
  readonly occurrences: readonly Occurrence[];
  readonly words: readonly WordAt[];
  /** The words that may name a field: the words above, and states such as "delivered" in "delivered on 22 April". */
  readonly naming: readonly WordAt[];
}

export interface WordAt {
  readonly at: number;
  readonly text: string;
  readonly stem: string;
}

const BREAKS: ReadonlySet<string> = new Set(['but', 'while', 'whereas', 'although', 'though']);
const STARTERS: ReadonlySet<string> = new Set('it they you your its the this that there he she i we both'.split(' '));
const FINITE: ReadonlySet<string> = new Set(
  'is are was were has have had does do did will costs renews expires ends starts arrives departs'.split(' '),
);

/** Splits a sentence into clauses: at semicolons and contrasts, and at "and" where another verb follows. */
export function splitClauses(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const clauses: Token[][] = [[]];
  for (const [at, token] of tokens.entries()) {
    const current = clauses.at(-1) as Token[];
    const isBreak =
      (token.kind === 'mark' && (token.text === ';' || token.text === '—' || token.text === '–')) ||
      (token.kind === 'word' && BREAKS.has(token.text) && current.length > 0) ||
      (token.kind === 'word' && token.text === 'and' && hasVerb(current) && beginsClause(tokens.slice(at + 1))) ||
      (token.kind === 'mark' &&
        token.text === ',' &&
        hasVerb(current) &&
        isWord(tokens[at + 1], 'which') &&
        hasVerb(tokens.slice(at + 1)));
    if (isBreak) clauses.push([]);
    else current.push(token);
  }
  return clauses.filter((clause) => clause.some(({ kind }) => kind !== 'mark'));
}

const isWord = (token: Token | undefined, text: string): boolean => token?.kind === 'word' && token.text === text;

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
  const occurrences = [...textOccurrences(tokens, leaves, taken), ...valueOccurrences(tokens, leaves, taken)].sort(
    (a, b) => a.from - b.from,
  );
  const words = tokens.flatMap((token, at): readonly WordAt[] =>
    token.kind !== 'word' || taken.has(at) ? [] : [{ at, text: token.text, stem: token.stem }],
  );
  const isState = (at: number): boolean =>
    occurrences.some(({ from, to, equal }) => at >= from && at < to && equal.every(({ shape }) => shape === 'state'));
  const naming = tokens.flatMap((token, at): readonly WordAt[] =>
    token.kind !== 'word' || (taken.has(at) && !isState(at)) ? [] : [{ at, text: token.text, stem: token.stem }],
  );
  return { tokens, occurrences, words, naming };
}

const TEXT_WORDS_MAX = 10;

function textOccurrences(tokens: readonly Token[], leaves: readonly Leaf[], taken: Set<number>): readonly Occurrence[] {
  const flat = tokens.flatMap((token, at) => textWords(token.text).map((word) => ({ word: spelled(word), at })));
  const texts = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const { words } = leaf;
    if (leaf.kind !== 'text' || words.length === 0 || words.length > TEXT_WORDS_MAX) continue;
    if (words.length === 1 && FUNCTION_WORDS.has(words[0] ?? '')) continue;
    const text = words.map(spelled).join(' ');
    texts.set(text, [...(texts.get(text) ?? []), leaf]);
  }
  const found: Occurrence[] = [];
  for (const [text, equal] of [...texts].sort(([a], [b]) => b.length - a.length)) {
    const words = text.split(' ');
    for (let from = 0; from + words.length <= flat.length; from += 1) {
      const span = flat.slice(from, from + words.length);
      if (!span.every(({ word, at }, place) => word === words[place] && !taken.has(at))) continue;
      const [first, last] = [span[0]?.at ?? 0, span.at(-1)?.at ?? 0];
      // A part of a hyphenated word or of a date is not a text of its own.
      if (flat[from - 1]?.at === first || flat[from + words.length]?.at === last) continue;
      for (let at = first; at <= last; at += 1) taken.add(at);
      found.push({ from: first, to: last + 1, stated: { type: 'text', text }, qualifier: 'exact', equal, near: [] });
    }
  }
  return found;
}

/** British and American spellings of common states are one word. */
const spelled = (word: string): string => word.replace(/^(cancel|travel|label)(ed|ing)$/u, '$1l$2');

function valueOccurrences(
  tokens: readonly Token[],
  leaves: readonly Leaf[],
  taken: Set<number>,
): readonly Occurrence[] {
  return tokens.flatMap((token, at): readonly Occurrence[] => {
    if (token.kind !== 'value' || taken.has(at)) return [];
    const qualifier = qualifierAt(tokens, at, taken);
    const matched = leaves.map((leaf) => ({ leaf, match: matchValue(token.value, leaf, qualifier) }));
    const equal = matched.flatMap(({ leaf, match }) => (match === 'equal' ? [leaf] : []));
    const near = matched.filter(({ match }) => match === 'unit' || match === 'open');
    return [{ from: at, to: at + 1, stated: token.value, qualifier, equal, near }];
  });
}

const PHRASES: Readonly<Record<string, Qualifier>> = {
  'more than': 'over',
  'greater than': 'over',
  'less than': 'under',
  'fewer than': 'under',
};

/** Reads the qualifier before a value, and marks its words as used. */
function qualifierAt(tokens: readonly Token[], at: number, taken: Set<number>): Qualifier {
  const text = (place: number): string => {
    const token = tokens[place];
    return token?.kind === 'word' ? token.text : '';
  };
  const phrase = PHRASES[`${text(at - 2)} ${text(at - 1)}`];
  if (phrase !== undefined) {
    taken.add(at - 2).add(at - 1);
    return phrase;
  }
  const word = text(at - 1);
  const single: Qualifier | null = APPROXIMATIONS.has(word)
    ? 'about'
    : LOWER_BOUNDS.has(word)
      ? 'over'
      : UPPER_BOUNDS.has(word)
        ? 'under'
        : null;
  if (single !== null) taken.add(at - 1);
  return single ?? 'exact';
}
