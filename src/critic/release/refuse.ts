import { type ActClaim, effectClaims, isOwnEffect } from './acts.ts';
import { type FactIndex, isSynonym, type Leaf, textWords } from './facts.ts';
import { matchValue } from './match.ts';
import { plausibility } from './plausible.ts';
import { type Stated, stem, type Token, tokenize } from './tokens.ts';
import { EFFECT_STEMS, STRONG_EFFECTS } from './words/act-words.ts';
import {
  ADVICE,
  APPROXIMATIONS,
  CAUSES,
  COMPUTING,
  EXTRAPOLATIONS,
  FUNCTION_WORDS,
  NEGATORS,
  PROMISES,
  REPORT_VERBS,
} from './words/lexicon.ts';
import { UNITS } from './words/measures.ts';

/** A sentence and everything it may rest on. */
export interface SentenceSubject {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The facts that the sentence cites: parts that the requester may see, and that no outsider wrote. */
  readonly cited: FactIndex;
  /** The parts of the cited facts that outsiders wrote. */
  readonly untrusted: readonly Leaf[];
  /** The hidden parts of all facts of the answer, cited or not. */
  readonly hidden: readonly Leaf[];
  /** The visible, trusted parts of the facts that the sentence does not cite. */
  readonly uncited: readonly Leaf[];
  /** The stems of the names of all tools and of all visible keys. */
  readonly nouns: ReadonlySet<string>;
  /** The stems of everything that the cited facts say in words: keys and texts. */
  readonly stated: ReadonlySet<string>;
  readonly request: Request;
}

export interface Request {
  readonly tokens: readonly Token[];
  readonly stems: ReadonlySet<string>;
  readonly text: string;
}

/** Returns why a sentence is forbidden or contradicted as a whole, or null. Each rule is one function. */
export function refusalOf(subject: SentenceSubject): string | null {
  for (const rule of RULES) {
    const reason = rule(subject);
    if (reason !== null) return reason;
  }
  return null;
}

type Rule = (subject: SentenceSubject) => string | null;

const wordsIn = (tokens: readonly Token[]): readonly (Token & { readonly kind: 'word' })[] =>
  tokens.flatMap((token) => (token.kind === 'word' ? [token] : []));

const isContent = (word: string): boolean => word.length > 2 && !FUNCTION_WORDS.has(word);

/** No hidden value, no part of one, and no mention of a field that only hidden values have. */
const disclosesHidden: Rule = ({ tokens, cited, hidden, request, untrusted }) => {
  if (hidden.length === 0) return null;
  const sentence = ` ${textWords(tokens.map(({ text }) => text).join(' ')).join(' ')} `;
  const stems = new Set(wordsIn(tokens).map((token) => token.stem));
  const shown = new Set([...cited.leaves, ...untrusted].flatMap(({ words }) => words));
  const visibleKeys = new Set(cited.leaves.flatMap(({ own, path }) => [...own, ...path]));
  for (const leaf of hidden) {
    const name = `a hidden field (${leaf.pointer})`;
    if (
      tokens.some(
        (token) =>
          token.kind === 'value' &&
          token.value.type !== 'time' &&
          matchValue(token.value, leaf) === 'equal' &&
          !isShown(token.value, cited.leaves, request),
      )
    )
      return `the sentence shows ${name}`;
    const parts = leaf.words.filter(
      (word) => (word.length > 3 || /\d/u.test(word)) && isContent(word) && !shown.has(word),
    );
    if (parts.some((word) => sentence.includes(` ${word} `) && !request.text.includes(word)))
      return `the sentence shows a part of ${name}`;
    const digits = String(leaf.value ?? '').replace(/\D/gu, '');
    if (
      tokens.some(
        (token) =>
          token.kind === 'value' && isPartOf(token.text, digits) && !isShown(token.value, cited.leaves, request),
      )
    )
      return `the sentence shows a part of ${name}`;
    const own = [...leaf.own].filter((word) => !visibleKeys.has(word));
    if (
      own.length > 0 &&
      (own.every((word) => stems.has(word)) ||
        [...leaf.own].every((word) => [...stems].some((one) => isMention(one, word) && !visibleKeys.has(one)))) &&
      !own.every((word) => request.stems.has(word) && leaf.value === null)
    )
      return `the sentence speaks of ${name}`;
  }
  return null;
};

/** "Your account" is the account with the company, and no mention of a hidden IBAN. */
const isMention = (word: string, key: string): boolean => word !== 'account' && isSynonym(word, key);

const isShown = (stated: Stated, leaves: readonly Leaf[], { tokens }: Request): boolean =>
  leaves.some((leaf) => matchValue(stated, leaf) !== 'different') ||
  tokens.some((token) => token.kind === 'value' && isSameValue(token.value, stated));

const isPartOf = (text: string, digits: string): boolean => {
  const part = text.replace(/\D/gu, '');
  return part.length >= 3 && digits.length > part.length && digits.includes(part);
};

export function isSameValue(a: Stated, b: Stated): boolean {
  if (a.type === 'number' && b.type === 'number') return a.amounts.some((one) => b.amounts.includes(one));
  return a.type !== 'number' && b.type !== 'number' && JSON.stringify(a) === JSON.stringify(b);
}

const isReported = (tokens: readonly Token[]): boolean =>
  wordsIn(tokens).some(({ text }) => REPORT_VERBS.has(text)) ||
  wordsIn(tokens).some(({ text }) => /^(?:contains?|puts|calls|offers|quotes?|adds|promises)$/u.test(text));

/** No link that only an outsider's text has, and no value or advice unless the sentence reports what the text says. */
const takesOverAdvice: Rule = ({ tokens, untrusted, cited, request }) => {
  if (untrusted.length === 0) return null;
  const outside = new Set(untrusted.flatMap(({ words }) => words.map(stem)));
  const raw = untrusted.map(({ value }) => String(value ?? '').toLowerCase()).join('\n');
  const isDirective = wordsIn(tokens).some(
    ({ text }, place) =>
      (ADVICE.has(text) && (place < 2 || text === 'should' || text === 'must')) ||
      text === 'recommend' ||
      text === 'please' ||
      text === 'need',
  );
  const reported = isReported(tokens);
  const isOutside = (token: Token): boolean =>
    token.kind === 'value' &&
    token.value.type === 'link' &&
    raw.includes(token.value.link.toLowerCase()) &&
    !isShown(token.value, cited.leaves, request);
  if (tokens.flatMap(insideQuote).some(isOutside)) return 'the sentence takes over a link that an outsider wrote';
  for (const token of tokens) {
    if (token.kind !== 'value') continue;
    if (
      !reported &&
      raw.includes(token.text.toLowerCase()) &&
      token.text.length > 2 &&
      !isShown(token.value, cited.leaves, request)
    )
      return 'the sentence takes over a value that an outsider wrote';
  }
  const visible = new Set([
    ...cited.leaves.flatMap(({ words, own }) => [...words.map(stem), ...own]),
    ...request.stems,
  ]);
  const shared = wordsIn(tokens).filter(
    (word) => isContent(word.text) && outside.has(word.stem) && !visible.has(word.stem),
  );
  if (isDirective && shared.length >= 1) return 'the sentence takes over advice that an outsider wrote';
  return null;
};

/** A token, and the tokens of a quotation: a link works there too. */
const insideQuote = (token: Token): readonly Token[] => (token.kind === 'quote' ? tokenize(token.text) : [token]);

const foldText = (text: string): string => textWords(text).join(' ');

/** A quotation must stand in a cited text, letter for letter, or in the request. */
const inventsQuotation: Rule = ({ tokens, cited, untrusted, request }) => {
  const texts = [...cited.leaves, ...untrusted].flatMap(({ value }) =>
    typeof value === 'string' ? [` ${foldText(value)} `] : [],
  );
  const asked = ` ${foldText(request.text)} `;
  for (const token of tokens) {
    if (token.kind !== 'quote') continue;
    const quoted = ` ${foldText(token.text)} `;
    if (!texts.some((text) => text.includes(quoted)) && !asked.includes(quoted))
      return 'no fact contains the quotation';
  }
  return null;
};

/** A number, date, identifier or link must stand in a cited fact or in the request, or follow from them. */
const inventsValue: Rule = ({ tokens, cited, untrusted, request }) => {
  const asked = request.tokens.flatMap((token) => (token.kind === 'value' ? [token.value] : []));
  const isPlausible = plausibility(
    cited,
    asked.flatMap((value) => (value.type === 'number' ? value.amounts : [])),
  );
  const quotedValues = [...untrusted, ...cited.leaves.filter(({ shape }) => shape === 'prose')].flatMap(({ value }) =>
    tokenize(String(value)).flatMap((token) => (token.kind === 'value' ? [token.value] : [])),
  );
  const isComputing = wordsIn(tokens).some(({ text }) => COMPUTING.has(text));
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'value') continue;
    const { value } = token;
    const before = tokens[at - 1];
    const isLoose =
      before?.kind === 'word' &&
      (APPROXIMATIONS.has(before.text) || /^(?:over|under|than|least|most|to)$/u.test(before.text));
    if ([...asked, ...quotedValues].some((one) => isSameValue(one, value)) || (value.type === 'number' && isLoose))
      continue;
    if (
      [...cited.leaves, ...untrusted].some(
        (leaf) =>
          matchValue(value, leaf) !== 'different' ||
          String(leaf.value).toLowerCase().includes(token.text.toLowerCase()),
      )
    )
      continue;
    if (value.type === 'id' && isKnownWord(value.id, cited, request)) continue;
    if (value.type === 'number' && (isComputing || (value.isWord && value.unit === null))) continue;
    if (value.type === 'day' && tokens.some(isSpan)) continue;
    if (value.type === 'time' && cited.leaves.some((leaf) => hasHour(leaf, value.minutes))) continue;
    if (value.type === 'number' && value.amounts.some((one) => isPlausible(value.minor ? one / 100n : one))) continue;
    if (value.type === 'day' && (value.day === 'ambiguous' || value.day.day === null)) continue;
    return `no cited fact supports ${token.text}`;
  }
  return null;
};

/** A word with digits that a key or the request has, such as p95. */
const isKnownWord = (id: string, { leaves }: FactIndex, { text }: Request): boolean => {
  const word = id.toLowerCase().replace(/s$/u, '');
  return ` ${text}`.includes(` ${word}`) || leaves.some(({ full }) => full.has(word) || full.has(stem(word)));
};

/** A text such as `Mon-Fri 08:00-12:00` holds times that are no fields of their own. */
const hasHour = ({ kind, value }: Leaf, minutes: number): boolean =>
  kind === 'text' && [24, 12].some((hours) => String(value).includes(String(Math.floor(minutes / 60) % hours)));

/** "ninety days": a day may lie that long before or after a day of the facts. */
const isSpan = (token: Token): boolean =>
  token.kind === 'value' && token.value.type === 'number' && UNITS.get(token.value.unit ?? '')?.[0] === 'time';

/** A name of another fact of the answer, which the cited facts do not have, is a wrong reference. */
const namesUncited: Rule = ({ tokens, cited, uncited, untrusted, request }) => {
  const sentence = ` ${textWords(tokens.map(({ text }) => text).join(' ')).join(' ')} `;
  const known = ` ${[...cited.leaves, ...untrusted].flatMap(({ words }) => words).join(' ')} ${foldText(request.text)} `;
  for (const { words, value } of uncited) {
    const text = words.join(' ');
    if (typeof value !== 'string' || text.length < 4 || !/[A-Z\d]/u.test(value)) continue;
    if (sentence.includes(` ${text} `) && !known.includes(` ${text} `) && !cited.toolWords.has(stem(text)))
      return `"${text}" stands in another fact than the cited ones`;
  }
  return null;
};

/** The stem and, of a role such as `sender`, the verb. */
const withVerb = (word: string): readonly string[] =>
  /.{3}(?:er|or)$/u.test(word) ? [word, word.slice(0, -2)] : [word];

export function statedStems(leaves: readonly Leaf[]): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const { own, path, words } of leaves)
    for (const word of [...own, ...path, ...words.map(stem)]) for (const one of withVerb(word)) stems.add(one);
  return stems;
}

const isStated = (word: string, { stated, cited, request }: SentenceSubject, isAsked = true): boolean =>
  stated.has(word) || cited.toolWords.has(word) || (isAsked && request.stems.has(word));

const listRule =
  (
    list: ReadonlySet<string>,
    reason: string,
    isAllowed: (subject: SentenceSubject, at: number) => boolean = () => false,
  ): Rule =>
  (subject) => {
    const words = wordsIn(subject.tokens);
    for (const [at, word] of words.entries())
      if (list.has(word.text) && !isStated(word.stem, subject) && !isAllowed(subject, at))
        return `${reason}: "${word.text}"`;
    return null;
  };

/** An effect that the sentence claims must be one that a cited fact states. */
const claimsEffect: Rule = ({ tokens, stated, cited }) => {
  const isDenied = (from: number, to: number): boolean =>
    wordsIn(tokens.slice(from, to)).some(({ text }) => NEGATORS.has(text));
  const isInvented = ({ stem: verb, actor, at }: ActClaim): boolean => {
    if (!EFFECT_STEMS.has(verb) || stated.has(verb) || isOwnEffect(cited, verb)) return false;
    if (actor === 'other' ? isDenied(0, tokens.length) : isDenied(at, at + 3)) return false;
    return (
      (STRONG_EFFECTS.has(verb) && !cited.toolWords.has(verb)) || (actor !== 'other' && cited.effectWords.size === 0)
    );
  };
  const invented = effectClaims(tokens).find(isInvented);
  return invented === undefined ? null : `no effect is on record for "${invented.text}"`;
};

/** "I will", "we'll": the agent promises something that no fact holds. */
const promises: Rule = (subject) => {
  const words = wordsIn(subject.tokens).map(({ text }) => text);
  for (const [at, word] of words.entries()) {
    const isWill =
      /^(?:i'll|we'll)$/u.test(word) ||
      (word === 'will' && /^(?:i|we|they|team|support|someone)$/u.test(words[at - 1] ?? ''));
    if (
      isWill &&
      !words
        .slice(at + 1, at + 3)
        .some((one) => /^(?:be|happy|glad|help|check|look)$/u.test(one) || isStated(stem(one), subject, false))
    )
      return 'the sentence promises something that no fact states';
    if (
      word === 'will' &&
      words[at - 1] === 'you' &&
      /^(?:receive|get|be|have|see|hear)$/u.test(words[at + 1] ?? '') &&
      !words.slice(at).some((one) => isStated(stem(one), subject) && isContent(one))
    )
      return 'the sentence promises something that no fact states';
  }
  return null;
};

const RULES: readonly Rule[] = [
  disclosesHidden,
  takesOverAdvice,
  inventsQuotation,
  claimsEffect,
  promises,
  listRule(PROMISES, 'no fact states this promise'),
  listRule(CAUSES, 'no fact states this cause', ({ tokens, stated, untrusted }, at) => {
    const words = wordsIn(tokens);
    const cause = words.slice(at + 1).filter(({ text }) => isContent(text) && !NEGATORS.has(text));
    const known = new Set([...stated, ...untrusted.flatMap(({ words: text }) => text.map(stem))]);
    return cause.length > 0 && cause.every((word) => known.has(word.stem));
  }),
  listRule(EXTRAPOLATIONS, 'the facts do not reach this far'),
  inventsValue,
  namesUncited,
];
