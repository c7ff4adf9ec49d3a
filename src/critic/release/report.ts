import { isSynonym, type Leaf, textWords } from './facts.ts';
import { isPrefix } from './fields.ts';
import { matchValue } from './match.ts';
import type { Clause, Occurrence } from './occurrence.ts';
import { isSameValue, type SentenceSubject } from './refuse.ts';
import { stem, type Token, tokenize } from './tokens.ts';
import { isEntityNoun } from './words/entities.ts';
import { FUNCTION_WORDS, LIGHT_VERBS, NEGATORS, REPORT_VERBS, TEXT_NOUNS } from './words/lexicon.ts';

/** What a text says, as the check rules on it. */
export type Reported = { readonly proven: readonly Leaf[] } | { readonly reason: string };

/** "The mail says …": attributed to a text, with the words and values of one cited text behind the verb. */
export function checkReport({ tokens, untrusted, cited }: SentenceSubject): Reported | null {
  const verb = tokens.findIndex((token) => token.kind === 'word' && REPORT_VERBS.has(token.text));
  const isAfter = tokens[verb]?.text === 'according';
  const head = isAfter ? tokens.slice(verb, verb + 5) : tokens.slice(0, Math.max(verb, 0));
  const texts = [...untrusted, ...cited.leaves].filter(({ kind, shape }) => kind === 'text' && shape !== 'id');
  const isSource = (token: Token): boolean =>
    token.kind === 'word' && (TEXT_NOUNS.has(token.text) || token.capital || /^(?:he|she|they)$/u.test(token.text));
  if (verb < 0 || !head.some(isSource) || untrusted.length === 0) return null;
  const hasQuote = tokens.some(({ kind }) => kind === 'quote');
  const sources = texts.filter(({ untrusted: isOutside, words }) => isOutside && (words.length > 2 || hasQuote));
  for (const source of sources) {
    const isAround = ({ records }: Leaf): boolean => isPrefix(records, source.records);
    const others = cited.leaves.filter(isAround);
    const isAttributed = isAttributedTo(head, [...others, ...untrusted.filter(isAround)]);
    if (isAttributed && isStatedIn(tokens, verb, source, others)) return { proven: [source] };
  }
  return { reason: 'the words do not stand together in a cited text' };
}

/** Whether the head names the text or its author. A name in the text itself is a claim of its author: "Support says …". */
function isAttributedTo(head: readonly Token[], around: readonly Leaf[]): boolean {
  const names = new Set(around.filter(isAuthor).flatMap(({ words }) => words));
  const isSource = ({ kind, text }: Token): boolean =>
    kind === 'word' && (TEXT_NOUNS.has(text) || /^(?:he|she|they)$/u.test(text) || names.has(text));
  return head.some(isSource) && !head.some(({ text }) => SPEAKERS.test(text));
}

const SPEAKERS = /^(?:i|i'm|i've|i'd|we|we're|we've|we'd|you|you're|you've|you'd)$/u;
const isAuthor = ({ own }: Leaf): boolean => [...own].some((word) => AUTHORS.test(word));

/** Whether each content word and value of a sentence stands in the source or names its author, with the same negations. */
function isStatedIn(tokens: readonly Token[], verb: number, source: Leaf, around: readonly Leaf[]): boolean {
  const sourceTokens = tokenize(String(source.value));
  const stems = new Set(sourceTokens.flatMap((token) => (token.kind === 'word' ? [token.stem] : [])));
  const authors = around.filter(isAuthor);
  const names = new Set(authors.flatMap(({ words }) => words.flatMap((word) => word.split(/[@.-]/u)).map(stem)));
  const own = new Set([...source.own, ...source.path]);
  const [denied, sourceDenied] = [deniedStems(tokens), deniedStems(sourceTokens)];
  const isKept = (token: Token): boolean =>
    token.kind !== 'word' || denied.has(token.stem) === sourceDenied.has(token.stem);
  const has = (list: readonly Token[], word: string): boolean => list.some(({ text }) => text === word);
  const body = tokens.slice(Math.max(0, verb));
  if (BINDING_WORDS.some((word) => has(body, word) && !has(sourceTokens, word))) return false;
  if (![...denied].every((word) => sourceDenied.has(word)) || !tokens.every(isKept)) return false;
  const content = tokens.filter((token) => token.kind === 'word' && !FUNCTION_WORDS.has(token.text));
  const quoted = textWords(String(source.value)).join(' ');
  const isHead = (token: Token): boolean => tokens.indexOf(token) < verb && isEntityNoun(token.text);
  let found = 0;
  let last = -1;
  for (const token of tokens) {
    if (token.kind === 'mark') continue;
    if (token.kind === 'quote') {
      if (!isQuotedIn(quoted, textWords(token.text).join(' '))) return false;
      found += 2;
    } else if (token.kind === 'value') {
      const isIn = sourceTokens.some((one) => one.kind === 'value' && isSameStated(one, token));
      const isAround = tokens.indexOf(token) < verb && around.some((leaf) => matchValue(token.value, leaf) === 'equal');
      if (!isIn && !isAround) return false;
      found += isIn ? 1 : 0;
    } else if (token.capital && token !== tokens[0] && stems.has(token.stem)) {
      const place = sourceTokens.findIndex((one) => one.kind === 'word' && one.stem === token.stem);
      if (place < last) return false;
      last = place;
    } else if (stems.has(token.stem) || [...stems].some((one) => isSynonym(one, token.stem)))
      found += content.includes(token) ? 1 : 0;
    else if (!isFrame(token.text) && !own.has(token.stem) && !names.has(token.stem) && !isHead(token)) return false;
  }
  return found >= 2;
}

/** Words of a report that must stand in its source: they turn its meaning. */
const BINDING_WORDS: readonly string[] = [
  'or',
  'from',
  'until',
  'since',
  'before',
  'after',
  'without',
  'unless',
  'only',
];

/** The stems that a negation denies: the first content word behind each negator. */
const deniedStems = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(
    tokens.flatMap((token, at) => {
      if (token.kind !== 'word' || !NEGATORS.has(token.text)) return [];
      const next = tokens.slice(at + 1).find((one) => one.kind === 'word' && !FUNCTION_WORDS.has(one.text));
      return next?.kind === 'word' ? [next.stem] : [];
    }),
  );

/** Stems of the fields that name the author of a text. */
const AUTHORS =
  /^(?:from|sender|author|by|reviewer|report|reporter|custom|customer|us|name|guest|tenant|player|client|caller|contact|request|counsel|broker|driver|channel|sourc|id|supplier|vendor|candidat|candidate|applicant|employe|employee|student|seller|buyer|agent|handl|login|nick|resident|member|patient|donor|with|read|writer|poster|speaker|inspector|technician|nurs|doctor|lead|owner)$/u;

const isFrame = (text: string): boolean =>
  FUNCTION_WORDS.has(text) ||
  TEXT_NOUNS.has(text) ||
  REPORT_VERBS.has(text) ||
  NEGATORS.has(text) ||
  LIGHT_VERBS.has(text) ||
  /^(?:one|line|sentence|participant|person|recent|external|new|ending|someone|supplier|opposing|counsel)$/u.test(text);

/** Values of a report: a currency or unit that the text leaves open may be added, not changed. */
function isSameStated(a: Token & { kind: 'value' }, b: Token & { kind: 'value' }): boolean {
  if (a.value.type !== 'number' || b.value.type !== 'number') return isSameValue(a.value, b.value);
  const { amounts, currency, unit } = b.value;
  return (
    a.value.amounts.some((one) => amounts.includes(one)) &&
    (a.value.currency === null || currency === null || a.value.currency === currency) &&
    (a.value.unit === unit || isPercent(a.value.unit, unit))
  );
}

const isPercent = (a: string | null, b: string | null): boolean =>
  /^(?:%|percent)$/u.test(a ?? '') && /^(?:%|percent)$/u.test(b ?? '');

/** A clause that quotes a text of the facts and says no more than which text it is. */
export function checkQuotation(clause: Clause, { cited, untrusted }: SentenceSubject): Reported | null {
  const place = clause.tokens.findIndex(({ kind }) => kind === 'quote');
  const quote = clause.tokens[place];
  if (quote === undefined || clause.occurrences.some(({ from, to }) => place >= from && place < to)) return null;
  const sourceTokens = textWords(quote.text).join(' ');
  const source = [...cited.leaves, ...untrusted].find(({ words }) => isQuotedIn(words.join(' '), sourceTokens));
  if (source === undefined) return { reason: 'the quotation has no field' };
  const explained = new Set([...source.own, ...source.path, ...cited.toolWords]);
  const isNamed = clause.words.some(({ text, stem: form }) => explained.has(form) || TEXT_NOUNS.has(text));
  if (source.untrusted && (!isNamed || clause.tokens.some(({ text }) => SPEAKERS.test(text))))
    return { reason: 'the sentence does not say where the quotation comes from' };
  const rest = clause.words.find(
    ({ text, stem: form }) => !explained.has(form) && !isFrame(text) && !QUOTE_FRAMES.test(text),
  );
  const isInside = ({ equal }: Occurrence): boolean => equal.some(({ records }) => isPrefix(records, source.records));
  return rest !== undefined || !clause.occurrences.every(isInside) || clause.isNegative
    ? { reason: 'the sentence says more than the quotation' }
    : { proven: [source] };
}

const QUOTE_FRAMES =
  /^(?:words?|left|added|wrote|gave|given|reason|title|titled|called|named|headed|subject|line|remarks?|puts?|sent|quote|quoted|exact|exactly)$/u;

/** Whether a text has the words of a quotation, which must not leave out a negation right before them. */
function isQuotedIn(text: string, quotation: string): boolean {
  const at = ` ${text} `.indexOf(` ${quotation} `);
  const before = text.slice(0, Math.max(0, at)).trim().split(' ').at(-1) ?? '';
  return at >= 0 && !NEGATORS.has(before);
}
