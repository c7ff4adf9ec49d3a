import { isMoneyVerb } from './acts.ts';
import type { DerivedNumber } from './count.ts';
import { dayNumber, weekdayOf } from './dates.ts';
import {
  columnOf,
  type FactIndex,
  inCommonUnit,
  isFieldWord,
  isSynonym,
  type Leaf,
  type ListNode,
  recordOf,
} from './facts.ts';
import { type FieldBinding, isPrefix } from './fields.ts';
import type { Clause, Occurrence, WordAt } from './occurrence.ts';
import type { Request } from './refuse.ts';
import { stem as stemOf } from './tokens.ts';
import { STRONG_EFFECTS } from './words/act-words.ts';
import { isEntityNoun } from './words/entities.ts';
import { MONEY_ROLES } from './words/field-words.ts';
import {
  COUNT_NOUNS,
  EXCLUSIVES,
  FUNCTION_WORDS,
  KIND_NOUNS,
  KIND_VERBS,
  LIGHT_VERBS,
  NEGATORS,
  NEUTRAL_WORDS,
  RECORD_NOUNS,
  STATE_WORDS,
  SUPERLATIVES,
  UNCOMPUTED,
  UNIVERSALS,
} from './words/lexicon.ts';
import { UNITS, WEEKDAYS } from './words/measures.ts';

/** A proof of the values of a clause, whose words have to be covered. */
export interface Proof extends DerivedNumber {
  readonly bindings: readonly FieldBinding[];
  readonly record: readonly string[] | null;
}

const NOUNS_ING =
  /^(?:booking|billing|listing|shipping|training|parking|meeting|building|filing|hearing|reading|rating|tracking|pricing|viewing|wedding)s?$/u;

/** The reason that a clause is not proven, or that the facts contradict it. */
export interface Gap {
  readonly reason: string;
  readonly contradicted?: boolean;
}

/** Every word must be explained by a bound field, a list, the request or a word list. Returns the first gap. */
export function findGap(clause: Clause, cited: FactIndex, request: Request, proof: Proof): Gap | null {
  const { bindings, leaves, lists, used } = proof;
  const bound = [...bindings.map(({ leaf }) => leaf), ...leaves];
  const own = new Set([
    ...bound.flatMap((leaf) => [...leaf.own, ...leaf.path, ...leaf.full]),
    ...lists.flatMap((list) => [...list.own]),
  ]);
  const isKey = (word: string): boolean => own.has(word) || [...own].some((one) => isSynonym(one, word));
  const uncounted = uncountedNoun(clause, bindings, (word) => isKey(word) || used.has(word));
  if (uncounted !== null) return { reason: `the field does not count "${uncounted}"` };
  const context = cited.toolWords;
  const isForeign = foreignWords(cited, bound);
  const described = describingWords(cited, bound);
  const isDescribed = ({ tokens }: Clause, { at, stem }: WordAt): boolean => {
    const token = tokens[at];
    return token?.kind === 'word' && !token.capital && described.has(stem);
  };
  for (const word of clause.words) {
    if (isMisplaced(clause, word)) return { reason: `"${word.text}" does not fit the value behind it` };
    if (used.has(word.stem)) continue;
    const operator = checkOperator(clause, cited, proof, word);
    if (operator === 'proven') continue;
    if (operator !== null) return operator;
    if (isKey(word.stem)) continue;
    const second = clause.words.find(({ at }) => at === word.at + 1);
    if (isRate(clause, word.at) && !(second !== undefined && isKey(second.stem)))
      return { reason: `no cited field is per ${word.text}` };
    if (isReturned(clause, word)) return { reason: `no cited field explains "${word.text}"` };
    if (word.text === 'and' && isSameAmount(clause, word.at)) return { reason: '"and" joins one amount with itself' };
    if (word.text === 'or' && !(clause.isNegative && isListed(clause, word.at)) && !isSameAmount(clause, word.at))
      return { reason: 'the check does not cover "or" here' };
    if (NEGATORS.has(word.text) || UNCOMPUTED.has(word.text))
      return { reason: `the check does not cover "${word.text}" here` };
    if (FUNCTION_WORDS.has(word.text) || LIGHT_VERBS.has(word.text) || RECORD_NOUNS.has(word.text)) continue;
    const isNoun =
      word.text.length > 2 && !/(?:ed|ly)$/u.test(word.text) && (!/ing$/u.test(word.text) || NOUNS_ING.test(word.text));
    if (
      isNoun &&
      (context.has(word.stem) ||
        [...context].some((one) => isSynonym(one, word.stem) && !isForeign(word.stem)) ||
        (request.stems.has(word.stem) &&
          !isClaimNoun(word) &&
          !(isFieldWord(word.stem) && bound.some(isBareNumber)) &&
          !isRivalWord(word.stem, cited, bound)))
    )
      continue;
    if (
      !isForeign(word.stem) &&
      (isEntity(clause, word) || NEUTRAL_WORDS.has(word.text) || isKindVerb(word.text, bound, cited))
    )
      continue;
    if (isCountNoun(clause, word) || isDescribed(clause, word)) continue;
    if (isWeekday(clause, word.at, bound) || isKindNoun(word.text, bound)) continue;
    return { reason: `no cited field explains "${word.text}"` };
  }
  return null;
}

/** A noun such as "refund" or "deposit" claims something, even if the request has it: "Your refund was paid on 3 May." */
const isClaimNoun = ({ text, stem }: WordAt): boolean =>
  STATE_WORDS.has(text) || STRONG_EFFECTS.has(stem) || MONEY_ROLES.has(stem);

/** "€49.90 per month", "€49.90 a month": a rate, which only the field itself can state. */
const isRate = ({ tokens, occurrences }: Clause, at: number): boolean => {
  const before = tokens[at - 1]?.text ?? '';
  const isAmount = ({ to, stated }: Occurrence): boolean => to === at - 1 && stated.type === 'number';
  return before === 'per' || (/^an?$/u.test(before) && occurrences.some(isAmount));
};

/** "paid back", "€15.00 back", "paid out": money of the other direction, unless a field has the word. */
const isReturned = ({ tokens, occurrences, isNegative }: Clause, { text, at }: WordAt): boolean =>
  !isNegative &&
  ((text === 'back' && occurrences.some(({ stated }) => stated.type === 'number' && stated.currency !== null)) ||
    (/^(?:back|out)$/u.test(text) && /^(?:pa(?:y|ys|id|ying)|gave|given|got|sent)$/u.test(tokens[at - 1]?.text ?? '')));

const TO_VERBS =
  /^(?:comes?|came|amounts?|amounted|runs?|up|adds?|added|assigned|linked|attached|applied|credited|allocated|granted|awarded|entitled|addressed|offset|connected|tied|related)$/u;

/** A range is no end, "assigned" takes "to", and no date states that something holds for its year. */
function isMisplaced({ tokens, occurrences }: Clause, { text, at }: WordAt): boolean {
  const next = text === 'for' ? occurrences.find(({ from }) => from === at + 1) : undefined;
  if (next?.stated.type === 'number' && next.equal.length > 0 && next.equal.every(({ kind }) => kind === 'moment'))
    return true;
  if (!/^(?:from|until|since)$/u.test(text)) return false;
  const before = tokens.slice(0, at).findLast(({ kind }) => kind === 'word');
  const verb = before?.text ?? '';
  const isDirectional =
    /^(?:go|goes|went|going)$/u.test(verb) && !tokens.slice(at).some((token) => token.text === 'to');
  const isRange = text !== 'from' && tokens[at + 2]?.text === 'to' && tokens[at + 3]?.kind === 'value';
  return isRange || (text === 'from' && (isDirectional || TO_VERBS.test(verb)));
}

/** "no lift or garage": nouns stand behind the word, not another clause. */
const isListed = ({ tokens }: Clause, at: number): boolean =>
  tokens.slice(0, at).some(({ text }) => NEGATORS.has(text)) &&
  !tokens
    .slice(at + 1)
    .some(({ text }) => /^(?:you|it|they|he|she|is|are|was|were|has|have|may|can|will)$/u.test(text));

/** "6,250 MB, or 6.25 GB": both sides state one amount. */
function isSameAmount({ occurrences }: Clause, at: number): boolean {
  const [a, b] = [
    occurrences.findLast(({ to }) => to <= at)?.stated,
    occurrences.find(({ from }) => from > at)?.stated,
  ];
  if (a?.type !== 'number' || b?.type !== 'number' || a.unit === null || b.unit === null) return false;
  const pair = inCommonUnit(a.amounts[0] ?? 0n, a.unit, b.amounts[0] ?? 1n, b.unit);
  return pair !== null && pair[0] === pair[1];
}

/** "184,200 times": a noun that counts, right behind its number. */
const isCountNoun = ({ occurrences }: Clause, { text, at }: WordAt): boolean =>
  COUNT_NOUNS.has(text) && occurrences.some(({ to, stated }) => to === at && stated.type === 'number');

const DESCRIBING =
  /^(?:description|desc|name|title|product|item|label|type|category|kind|subject|model|service|summary|crop|species)$/iu;
const DESCRIPTION_MAX = 8;

/** The words of texts that describe the record of a bound field: "the tripods" for `description: "Tripod, aluminium"`. */
const describingWords = ({ leaves }: FactIndex, bound: readonly Leaf[]): ReadonlySet<string> =>
  new Set(
    leaves
      .filter(
        ({ kind, key, words, records }) =>
          kind === 'text' &&
          words.length <= DESCRIPTION_MAX &&
          DESCRIBING.test(key) &&
          bound.some((leaf) => isPrefix(records, leaf.records)),
      )
      .flatMap(({ words }) => words.filter((word) => word.length > 2 && !NEGATORS.has(word)).map(stemOf)),
  );

/** A count or a score: a word of the request could make it any field. */
const isBareNumber = ({ number }: Leaf): boolean =>
  number !== null && number.currencies === null && number.unit === null;

/** A noun that points at the record. Behind "by", "from" or "to" it would claim a role. */
function isEntity({ tokens }: Clause, { text, at }: WordAt): boolean {
  const before = tokens
    .slice(0, at)
    .findLast(({ text: word }) => !/^(?:the|a|an|your|our|my|this|that|its)$/u.test(word));
  return isEntityNoun(text) && !/^(?:by|from|to|has|have|had)$/u.test(before?.text ?? '');
}

/**
 * Whether a word may mean a field that the clause does not rest on: a key of a number, a date, a flag or a state, or a text
 * of another record. A name or an identifier of the record itself only points at it.
 */
function foreignWords({ leaves }: FactIndex, bound: readonly Leaf[]): (word: string) => boolean {
  let stems: ReadonlySet<string> | null = null;
  const own = new Set(bound);
  const isAround = ({ records }: Leaf): boolean => bound.some((leaf) => isPrefix(records, leaf.records));
  const stemsIn = (leaf: Leaf): readonly string[] => {
    if (own.has(leaf)) return [];
    const isPointing = isAround(leaf) && leaf.kind === 'text' && leaf.shape !== 'state';
    return isPointing ? [] : [...leaf.own, ...leaf.words.map(stemOf)];
  };
  return (word) => {
    stems ??= new Set(leaves.flatMap(stemsIn));
    return stems.has(word);
  };
}

/** Whether a word of the request names a field that could be mistaken for a bound one. */
const isRivalWord = (word: string, { leaves }: FactIndex, bound: readonly Leaf[]): boolean =>
  leaves.some(({ own, kind }) => own.has(word) && bound.some((leaf) => leaf.kind === kind && !leaf.own.has(word)));

/** The noun right behind a bare number must be a word of the field: 340 boxes are not 340 gloves. */
function uncountedNoun(
  clause: Clause,
  bindings: readonly FieldBinding[],
  isKey: (word: string) => boolean,
): string | null {
  for (const { occurrence, leaf } of bindings) {
    const { stated, to } = occurrence;
    if (stated.type !== 'number' || stated.currency !== null || stated.minor || stated.unit !== null) continue;
    if (leaf.own.has('year') || leaf.moment !== null) continue;
    const next = clause.words.find(({ at }) => at === to);
    const second = clause.words.find(({ at }) => at === to + 1);
    if (next === undefined || FUNCTION_WORDS.has(next.text) || COUNT_NOUNS.has(next.text) || isKey(next.stem)) continue;
    if (second !== undefined && !FUNCTION_WORDS.has(second.text) && isKey(second.stem)) continue;
    if (!LIGHT_VERBS.has(next.text)) return next.text;
  }
  return null;
}

const isKindNoun = (text: string, leaves: readonly Leaf[]): boolean =>
  leaves.some(({ kind, number, shape, value }) => {
    if (kind === 'moment') return KIND_NOUNS.moment.has(text);
    if (number?.currencies != null) return KIND_NOUNS.money.has(text);
    if (number?.unit != null) return KIND_NOUNS.span.has(text);
    return shape === 'id' || /^\d+$/u.test(String(value))
      ? KIND_NOUNS.id.has(text)
      : number !== null && KIND_NOUNS.number.has(text);
  });

const isKindVerb = (text: string, bound: readonly Leaf[], cited: FactIndex): boolean =>
  bound.some((leaf) => {
    const { number } = leaf;
    if (number === null) return false;
    if (number.currencies !== null) return KIND_VERBS.money.has(text) && isMoneyVerb(text, leaf, cited);
    const isTime = UNITS.get(number.unit ?? '')?.[0] === 'time';
    return isTime ? KIND_VERBS.span.has(text) : number.unit !== null && KIND_VERBS.quantity.has(text);
  });

/** "Friday, 3 May 2026": the weekday must be that of the bound day. Any other weekday is not explained. */
const isWeekday = ({ tokens }: Clause, at: number, leaves: readonly Leaf[]): boolean => {
  const weekday = WEEKDAYS.indexOf((tokens[at]?.text ?? '').replace(/'?s$/u, ''));
  const day = leaves.find(({ moment }) => moment?.day != null)?.moment?.day;
  return weekday >= 0 && day != null && weekdayOf(day) === weekday;
};

/** The ruling on a quantifier or superlative; null if the word is none. */
function checkOperator(clause: Clause, cited: FactIndex, proof: Proof, { text, at }: WordAt): Gap | 'proven' | null {
  const claim = SUPERLATIVES.get(text);
  const isKeyWord = proof.bindings.some(({ leaf }) => leaf.full.has(stemOf(text)));
  if (claim !== undefined && !isKeyWord) {
    const element = proof.record?.at(-1) ?? '';
    const list = cited.lists.find(({ members }) => members.has(element));
    const isAdverb =
      /^(?:last|first)$/u.test(text) && /ed$/u.test(clause.tokens[at + 1]?.text ?? '') && list === undefined;
    return isAdverb ? 'proven' : checkMost(claim, list, element, cited.leaves, proof.bindings);
  }
  if (UNIVERSALS.has(text) && !isKeyWord) return checkAll(clause, cited, proof, text);
  if (!EXCLUSIVES.has(text)) return null;
  return isDowntoner(clause, at) ? 'proven' : checkOnly(cited, proof);
}

/** "only 12 percent": before a number, the word says no more than the value. */
const isDowntoner = ({ tokens, occurrences }: Clause, at: number): boolean => {
  const next = tokens.findIndex((token, place) => place > at && !/^(?:in|at|a|an|the|about)$/u.test(token.text));
  return occurrences.some(({ from, stated }) => from === next && stated.type === 'number');
};

/** "the cheapest", "the latest": the bound field has the largest or smallest value of a whole list. */
function checkMost(
  claim: string,
  list: ListNode | undefined,
  element: string,
  leaves: readonly Leaf[],
  bindings: readonly FieldBinding[],
): Gap | 'proven' {
  if (list === undefined || !list.complete) return { reason: 'the list is not known to be whole' };
  const rankOf = ({ number, moment }: Leaf): bigint | null => {
    if (claim.startsWith('number')) return number?.amount ?? null;
    return moment?.day == null ? null : BigInt(dayNumber(moment.day) * 1_440 + (moment.minutes ?? 0));
  };
  const inside = leaves.filter((leaf) => recordOf(leaf) === element && rankOf(leaf) !== null);
  const named =
    bindings.find(({ leaf }) => inside.includes(leaf))?.leaf ?? (inside.length === 1 ? inside[0] : undefined);
  if (named === undefined) return { reason: 'the sentence does not say which field is compared' };
  const column = columnOf(named, list, leaves);
  const own = rankOf(named) ?? 0n;
  const isMost =
    column.length === list.elements.length &&
    column.every((leaf) => (claim.endsWith('+') ? (rankOf(leaf) ?? 0n) <= own : (rankOf(leaf) ?? 0n) >= own));
  return isMost ? 'proven' : { reason: `${named.pointer} is not the ${claim} of its list`, contradicted: true };
}

/** "all invoices are paid": each element of a whole list has the bound values. "Each seat costs": a price per seat. */
function checkAll(
  clause: Clause,
  { lists, leaves }: FactIndex,
  { bindings, lists: counted, leaves: leaves_ }: Proof,
  text: string,
): Gap | 'proven' {
  const nouns = clause.naming.map(({ stem }) => stem);
  const isPer = bindings.some(
    ({ leaf }) =>
      /^(?:each|every|per)$/u.test(text) &&
      ['per', 'unit', 'each', 'max', 'maximum', 'limit'].some((word) => leaf.full.has(word)),
  );
  if (isPer) return 'proven';
  const list = lists.find(({ own }) => [...own].some((word) => nouns.includes(word))) ?? counted[0];
  const inside = bindings.filter(({ leaf }) => leaf.records.some((record) => list?.members.has(record) === true));
  const isCounted = list?.complete && counted.includes(list) && inside.length === 0;
  if (isCounted && (text !== 'both' || leaves_.length === 0 || new Set(leaves_.map(recordOf)).size === 2))
    return 'proven';
  if (list === undefined || inside.length === 0)
    return { reason: 'the sentence speaks of all, and the facts name no such list' };
  for (const { occurrence, leaf } of inside) {
    const column = columnOf(leaf, list, leaves);
    const isHeld = (one: Leaf): boolean => occurrence.equal.includes(one) || inside.some((other) => other.leaf === one);
    if (!column.every(isHeld))
      return { reason: 'not every element of the list has this value', contradicted: isPlainAll(clause, occurrence) };
    if (!list.complete || column.length !== list.elements.length)
      return { reason: 'the list is not known to be whole' };
  }
  return 'proven';
}

const isPlainAll = (clause: Clause, { stated }: Occurrence): boolean =>
  clause.occurrences.length === 1 && stated.type === 'text';

/** "only INV-2 is overdue": no other element of a whole list has the shared value. */
function checkOnly({ lists }: FactIndex, { bindings }: Proof): Gap | 'proven' {
  for (const list of lists) {
    const inside = bindings.filter(({ leaf }) => leaf.records.some((record) => list.members.has(record)));
    const elements = new Set(inside.flatMap(({ leaf }) => leaf.records.filter((record) => list.members.has(record))));
    const shared = inside.filter(({ occurrence, leaf }) => occurrence.stated.type === 'flag' || leaf.shape === 'state');
    const isNamed = inside.some(({ leaf }) => leaf.shape === 'name' || leaf.shape === 'id');
    if (shared.length === 0 || !isNamed || !list.complete) continue;
    const holding = list.elements.filter((element) =>
      shared.every(({ occurrence }) => occurrence.equal.some(({ records }) => records.includes(element))),
    );
    if (holding.length === elements.size) return 'proven';
  }
  return { reason: '"only" is not provable' };
}
