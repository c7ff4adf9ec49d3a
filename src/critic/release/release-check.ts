import type { AnswerFact, FactField, ReleaseAnswer, SentenceCase } from '../../model/evidence/answer.ts';
import { actGap, unstatedOwnAct } from './acts.ts';
import { type BoundClause, bindClause } from './bind.ts';
import { readClause, splitClauses } from './clause.ts';
import { compareOf, compute } from './compute.ts';
import type { DerivedNumber, Miscount } from './count.ts';
import { isEcho, isFiller } from './courtesy.ts';
import { findGap, type Gap } from './cover.ts';
import { type FactIndex, indexFacts, isSynonym, type Leaf, textWords, withCurrency } from './facts.ts';
import { type FieldBinding, isPrefix } from './fields.ts';
import type { Clause, Occurrence, WordAt } from './occurrence.ts';
import { normalize } from './phrases.ts';
import { areTooLarge, changedNumber, unreadable } from './readable.ts';
import { refusalOf, type SentenceSubject, statedStems } from './refuse.ts';
import { checkQuotation, checkReport, type Reported } from './report.ts';
import { hedgeGap, roleGap } from './roles.ts';
import { stem, type Token, tokenize } from './tokens.ts';
import { AFFIRMERS, ANSWER_WORDS, COMPUTING, NEGATORS, NONE_VERBS } from './words/lexicon.ts';

/** Rulings are derived again in replay, so every change of the rules or lists raises the version. */
export const RELEASE_CHECK = 'release@1';

const proven = (reason: string, fields: readonly FactField[]): ReleaseAnswer => ({
  ruling: 'proven',
  reason,
  fields: fields.map(({ ref, pointer }) => ({ ref, pointer })),
});
const notProvable = (reason: string): ReleaseAnswer => ({ ruling: 'not_provable', reason, fields: [] });
const refused = (reason: string): ReleaseAnswer => ({ ruling: 'refused', reason, fields: [] });
const gap = ({ reason, contradicted = false }: Gap): ReleaseAnswer =>
  contradicted ? refused(reason) : notProvable(reason);

const SENTENCE_MAX = 1_000;
const VALUES_MAX = 24;

/**
 * Decides whether a sentence may be shown. Proven: every clause, value and word follows from the cited facts or the
 * request. Refused: contradicted or forbidden. Not provable: everything else.
 */
export function checkSentence(sentence: SentenceCase): ReleaseAnswer {
  if (sentence.text.length > SENTENCE_MAX) return notProvable('the sentence is too long');
  if (areTooLarge(sentence.facts)) return notProvable('the facts are too large for the check');
  const hiddenText = unreadable(sentence.text);
  if (hiddenText !== null) return refused(hiddenText);
  const subject = subjectOf(sentence);
  const refusal = refusalOf(subject);
  if (refusal !== null) return refused(refusal);
  const isUncited = sentence.refs.length === 0;
  if (isFiller(subject, isUncited)) return proven('the sentence states nothing', []);
  if (isEcho(subject)) return proven('the sentence repeats the request', []);
  if (isUncited) return notProvable('the sentence cites no fact');
  const unread = changedNumber(subject.tokens, subject.cited.leaves);
  if (unread !== null) return notProvable(unread);
  return reported(checkReport(subject)) ?? proveClauses(subject);
}

const reported = (report: Reported | null): ReleaseAnswer | null => {
  if (report === null) return null;
  return 'reason' in report ? notProvable(report.reason) : proven('the words stand in a cited text', report.proven);
};

function subjectOf({ text, request, facts, refs }: SentenceCase): SentenceSubject {
  const all = withCurrency(indexFacts(facts));
  const index = citedPart(all, facts, refs);
  const asked = tokenize(request);
  const isOpen = (leaf: Leaf): boolean => !leaf.hidden && !leaf.untrusted;
  const isName = (word: string): boolean => all.leaves.some((leaf) => isOpen(leaf) && leaf.words.includes(word));
  return {
    text,
    tokens: withoutAnswer(tokenize(normalize(text)), (word) => textWords(request).includes(word) || isName(word)),
    cited: { ...index, leaves: index.leaves.filter(isOpen), lists: index.lists.filter(({ hidden }) => !hidden) },
    untrusted: index.leaves.filter(({ hidden, untrusted }) => untrusted && !hidden),
    hidden: all.leaves.filter(({ hidden }) => hidden),
    uncited: all.leaves.filter((leaf) => isOpen(leaf) && !refs.includes(leaf.ref)),
    stated: statedStems(index.leaves.filter(({ hidden }) => !hidden)),
    nouns: new Set([...all.toolWords, ...all.leaves.filter(isOpen).flatMap(({ own, path }) => [...own, ...path])]),
    request: {
      tokens: asked,
      text: textWords(request).join(' '),
      stems: new Set(asked.flatMap(wordStems)),
    },
  };
}

/** The stems of a word, and of the words of a quotation. */
const wordStems = (token: Token): readonly string[] => {
  if (token.kind === 'quote') return textWords(token.text).map(stem);
  return token.kind === 'word' ? [token.stem] : [];
};

/** The part of the index that the sentence cites. */
const citedPart = (all: FactIndex, facts: readonly AnswerFact[], refs: readonly string[]): FactIndex => ({
  ...indexFacts(
    facts
      .filter(({ ref }) => refs.includes(ref))
      .map(({ ref, tool, effect }) => ({ ref, tool, value: {}, ...(effect === undefined ? {} : { effect }) })),
  ),
  leaves: all.leaves.filter(({ ref }) => refs.includes(ref)),
  lists: all.lists.filter(({ ref }) => refs.includes(ref)),
});

/** Drops a leading "Yes," or "Hello Mila,": the clause behind it makes the claim. The name must be a known one. */
function withoutAnswer(tokens: readonly Token[], isKnown: (word: string) => boolean): readonly Token[] {
  const [first, second, third] = tokens;
  const isMark = (token: Token | undefined): boolean => token?.kind === 'mark' && /[,.:!–—]/u.test(token.text);
  if (first?.kind !== 'word') return tokens;
  if (/^(?:hi|hello|dear)$/u.test(first.text) && second?.kind === 'word' && isKnown(second.text) && isMark(third))
    return tokens.slice(3);
  return ANSWER_WORDS.has(first.text) && isMark(second) && tokens.length > 2 ? tokens.slice(2) : tokens;
}

function proveClauses(subject: SentenceSubject): ReleaseAnswer {
  const fields: FactField[] = [];
  let record: readonly string[] | null = null;
  const act = unstatedOwnAct(subject);
  if (act !== null) return notProvable(act);
  for (const tokens of splitClauses(subject.tokens)) {
    const ruling = proveClause(readClause(tokens, subject.cited.leaves), subject, record);
    if (ruling.ruling !== 'proven') return ruling;
    fields.push(...ruling.fields);
    record = ruling.record ?? record;
  }
  return fields.length === 0
    ? notProvable('the sentence rests on no field')
    : proven('every clause follows from the cited facts', fields);
}

type ClauseRuling = ReleaseAnswer & { readonly record?: readonly string[] };

/** Proves a clause: its flags and values bind in one record, or the numbers among them are recomputed. */
function proveClause(clause: Clause, subject: SentenceSubject, carried: readonly string[] | null): ClauseRuling {
  if (clause.occurrences.length > VALUES_MAX) return notProvable('the clause states too many values');
  const quotation = reported(checkQuotation(clause, subject));
  if (quotation !== null) return quotation;
  const flags = clause.flags.filter(({ equal }) => equal.length > 0);
  const values = clause.occurrences;
  if (clause.isNegative && flags.length === 0)
    return contradictedFlag(clause, subject, carried) ?? notProvable('no field supports the negation');
  if (clause.isNegative && !isDenied(clause, flags)) return notProvable('the negation does not stand before its field');
  if (values.length + flags.length === 0)
    return contradictedFlag(clause, subject, carried) ?? notProvable('the sentence names no field');
  const tries: ClauseRuling[] = [];
  for (const chosen of clause.isNegative || flags.length === 0 ? [flags] : [flags, []]) {
    if (values.length + chosen.length === 0) continue;
    const direct = proveBound(clause, [...values, ...chosen], subject, carried, []);
    if (direct.ruling === 'proven') return direct;
    tries.push(direct);
    for (const isComputable of [({ equal }: Occurrence) => equal.length === 0, () => true]) {
      const computed = proveComputed(clause, chosen, subject, carried, isComputable);
      if (computed?.ruling === 'proven') return computed;
      if (computed !== null) tries.unshift(computed);
    }
  }
  const against =
    values.length > 0 && tries.every(({ ruling }) => ruling !== 'refused')
      ? contradictedFlag(clause, subject, carried)
      : null;
  return (
    against ??
    tries.find(({ ruling }) => ruling === 'refused') ??
    tries[0] ??
    notProvable('the sentence names no field')
  );
}

/** The negation of a clause must stand before the field that it denies. "Not free" denies twice, "not until" affirms. */
function isDenied({ tokens, words, occurrences }: Clause, flags: readonly Occurrence[]): boolean {
  const negator = words.findLast(({ text }) => NEGATORS.has(text));
  const isOfFlag = ({ stem: word }: WordAt): boolean => flags.some(({ used }) => used.has(word));
  const isOfValue = ({ stem: word }: WordAt): boolean =>
    occurrences.some(({ equal }) => equal.some(({ own }) => own.has(word)));
  const start = negator?.at ?? 0;
  if (negator?.text !== 'no' && words.some(({ at, text }) => at === start + 1 && text === 'free')) return false;
  if (tokens.some(({ text }, at) => at > start && text === 'until')) return false;
  const next = words.find((word) => word.at >= start && (isOfFlag(word) || isOfValue(word)));
  const value = occurrences.find(({ from, stated }) => from > start && stated.type !== 'text' && stated.type !== 'id');
  if (value !== undefined && value.from < (next?.at ?? value.to)) return false;
  const isNaming = occurrences.every(({ stated }) => stated.type === 'text' || stated.type === 'id');
  return next === undefined || (isOfFlag(next) && (isNaming || !isOfValue(next)));
}

/** Binds values and flags and covers the words; the derived parts explain the rest. */
function proveBound(
  clause: Clause,
  occurrences: readonly Occurrence[],
  { cited, request }: SentenceSubject,
  carried: readonly string[] | null,
  derived: readonly DerivedNumber[],
): ClauseRuling {
  const open = occurrences.find(({ equal }) => equal.length === 0);
  if (open !== undefined) {
    const unit = open.near.find(({ match }) => match === 'unit');
    return unit === undefined || clause.words.some(({ text }) => COMPUTING.has(text))
      ? notProvable('a value is not a value of a cited field')
      : refused(`the unit differs from that of ${unit.leaf.pointer}`);
  }
  const bound: BoundClause | Gap = bindClause(
    clause,
    occurrences,
    cited,
    carried,
    derived.flatMap(({ leaves }) => leaves),
  );
  if ('reason' in bound) return gap(bound);
  if (!isOneRecord(bound.record, derived)) return notProvable('the values belong to different records');
  if (derived.length === 0 && isBareName(clause, bound.bindings))
    return notProvable('the clause names a record and no field of it');
  const flags = bound.bindings.filter(({ occurrence }) => occurrence.stated.type === 'flag');
  const proof = {
    bindings: bound.bindings,
    record: bound.record,
    leaves: derived.flatMap(({ leaves }) => leaves),
    lists: [...bound.lists, ...derived.flatMap(({ lists }) => lists)],
    used: new Set([...derived.flatMap(({ used }) => [...used]), ...flagWords(clause, flags, derived)]),
  };
  const missing =
    findGap(clause, cited, request, proof) ??
    actGap(clause, cited, proof) ??
    roleGap(clause, bound.bindings, request) ??
    hedgeGap(clause);
  if (missing !== null) return gap(missing);
  const leaves = [...bound.bindings.map(({ leaf }) => leaf), ...derived.flatMap(({ leaves: own }) => own)];
  const fields = leaves.length > 0 ? leaves : derived.flatMap(({ lists }) => lists);
  return { ...proven('', fields), ...(bound.record === null ? {} : { record: bound.record }) };
}

/** Whether the record of the values and the record of a computation agree, where both lie in one fact. */
function isOneRecord(record: readonly string[] | null, derived: readonly DerivedNumber[]): boolean {
  const others = derived.map(({ leaves }) => leaves[0]?.records).filter((one) => one !== undefined);
  return (
    record === null ||
    others.every((one) => one[0] !== record[0] || isPrefix(one, record) || isPrefix(record, one)) ||
    derived.some(({ lists }) => lists.length > 0)
  );
}

/** A clause whose only value is a name or an identifier states nothing about it, unless it names the field. */
function isBareName({ naming }: Clause, bindings: readonly FieldBinding[]): boolean {
  const [binding, ...others] = bindings;
  const isName = binding?.leaf.shape === 'name' || binding?.leaf.shape === 'id';
  if (binding === undefined || others.length > 0 || !isName) return false;
  const names = [...binding.leaf.own, ...binding.leaf.path];
  return !naming.some(({ stem: word }) => names.some((one) => isSynonym(one, word)));
}

/** The stems that flags explain: their names, and the words that affirm or deny a field. */
function flagWords(
  clause: Clause,
  flags: readonly FieldBinding[],
  derived: readonly DerivedNumber[],
): readonly string[] {
  const isCounted = clause.flags.some(({ equal }) =>
    derived.some(({ leaves }) => equal.some((leaf) => leaves.includes(leaf))),
  );
  if (flags.length === 0 && !isCounted) return [];
  const isNone = flags.some(({ leaf }) => leaf.kind !== 'boolean');
  const isFree = (text: string): boolean =>
    AFFIRMERS.has(text) ||
    (clause.isNegative && (NEGATORS.has(text) || text === 'yet' || text === 'any' || (isNone && NONE_VERBS.has(text))));
  return [
    ...flags.flatMap(({ occurrence }) => [...occurrence.used]),
    ...clause.words.filter(({ text }) => isFree(text)).map((word) => word.stem),
  ];
}

/** Recomputes the numbers that no field holds, and bare counts; null if there is nothing to compute. */
function proveComputed(
  clause: Clause,
  flags: readonly Occurrence[],
  subject: SentenceSubject,
  carried: readonly string[] | null,
  isComputable: (occurrence: Occurrence) => boolean,
): ClauseRuling | null {
  const results = clause.occurrences
    .filter(isComputable)
    .filter(({ stated }) => stated.type === 'number')
    .map((occurrence) => ({ occurrence, result: compute(clause, occurrence, subject.cited) }));
  const numbers = results.flatMap(({ result }) => (result !== null && 'leaves' in result ? [result] : []));
  const comparison = numbers.length > 0 ? null : compareOf(clause, subject.cited);
  const derived = comparison === null ? numbers : [comparison];
  const contradiction = results.find(({ result }) => result !== null && 'refused' in result)?.result;
  if (contradiction != null && 'refused' in contradiction) return contradictedCount(clause, subject, contradiction);
  if (derived.length === 0) return null;
  if (!isOneComputation(numbers)) return notProvable('the clause states several computed numbers');
  const isDerived = (occurrence: Occurrence): boolean =>
    results.some((one) => one.occurrence === occurrence && one.result !== null) ||
    derived.some(({ explains }) => explains?.includes(occurrence) === true) ||
    (occurrence.equal.length > 0 &&
      !isClock(occurrence) &&
      (comparison === null || occurrence.stated.type !== 'number') &&
      derived.some(({ leaves }) => occurrence.equal.some((leaf) => leaves.includes(leaf))));
  const rest = [...clause.occurrences, ...flags].filter((occurrence) => !isDerived(occurrence));
  if (numbers.some(({ lists }) => lists.length > 0) && rest.some((one) => isUnnamedDate(clause, one)))
    return notProvable('the sentence does not name the field of a date');
  return proveBound(clause, rest, subject, carried, derived);
}

/** "Doors open at 6:30 pm, an hour before the start": a day or a time that a computation uses still needs its own field. */
const isClock = ({ stated: { type } }: Occurrence): boolean => type === 'day' || type === 'time';

/** "The gifts of 2025 sum to $1,000": a date beside a list says nothing about its elements, unless the clause names it. */
const isUnnamedDate = ({ naming }: Clause, { equal }: Occurrence): boolean =>
  equal.length > 0 &&
  equal.every(
    ({ kind, own, path }) =>
      kind === 'moment' && !naming.some(({ stem: word }) => [...own, ...path].some((one) => isSynonym(one, word))),
  );

/** "6,250 MB, or 6.25 GB": numbers of one clause rest on the same fields. With more fields, a wrong number may fit by chance. */
const isOneComputation = (numbers: readonly DerivedNumber[]): boolean =>
  new Set(
    numbers.flatMap(({ lists, leaves }) =>
      lists.length > 0
        ? []
        : [
            leaves
              .map(({ pointer }) => pointer)
              .sort()
              .join(),
          ],
    ),
  ).size < 2;

/** A count that the list contradicts, if the clause says no more than the count. */
function contradictedCount(
  clause: Clause,
  { cited, request }: SentenceSubject,
  { refused: reason, list }: Miscount,
): ReleaseAnswer {
  const leaves = clause.occurrences.flatMap(({ equal }) => equal);
  const missing = findGap(clause, cited, request, {
    bindings: [],
    leaves,
    lists: [list],
    used: new Set(),
    record: null,
  });
  return missing === null ? refused(reason) : notProvable(reason);
}

/** A clause whose flag says the opposite of its field. Other values of the clause may only name the record. */
function contradictedFlag(
  clause: Clause,
  subject: SentenceSubject,
  carried: readonly string[] | null,
): ReleaseAnswer | null {
  const isNaming = clause.occurrences.every(({ stated }) => stated.type === 'text' || stated.type === 'id');
  for (const flag of isNaming ? clause.flags : []) {
    const against = flag.against.filter(
      ({ kind }) => kind === 'boolean' || (kind === 'number' && clause.occurrences.length === 0),
    );
    const [leaf, ...others] = against;
    if (leaf === undefined || (clause.occurrences.length === 0 && (others.length > 0 || flag.equal.length > 0)))
      continue;
    const opposite = { ...flag, equal: against };
    const ruling = proveBound(clause, [...clause.occurrences, opposite], subject, carried, []);
    if (ruling.ruling === 'proven') return refused(`${leaf.pointer} says the opposite`);
  }
  return null;
}
