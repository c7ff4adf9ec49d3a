import { type Binding, bindIn, isVisibleIn, recordsOf } from './bind.ts';
import { type Clause, type Occurrence, readClause, splitClauses } from './clause.ts';
import { compute } from './compute.ts';
import { dayNumber, weekdayOf } from './dates.ts';
import {
  type AnswerFact,
  conceptOf,
  type FactIndex,
  indexFacts,
  keyWords,
  type Leaf,
  type ListNode,
  textWords,
} from './facts.ts';
import {
  AFFIRMERS,
  ANSWER_WORDS,
  BOOLEAN_FRAMES,
  ECHO_FRAMES,
  EXCLUSIVES,
  FILLER_WORDS,
  FUNCTION_WORDS,
  ID_ENDINGS,
  KIND_NOUNS,
  LIGHT_VERBS,
  NEGATORS,
  NONE_VERBS,
  RECORD_NOUNS,
  REPORT_VERBS,
  SUPERLATIVES,
  TEXT_NOUNS,
  UNCOMPUTED,
  UNIVERSALS,
  WEEKDAYS,
} from './lexicon.ts';
import { isSameValue, type Request, refusalOf, type Subject } from './refuse.ts';
import { stem as stemOf, type Token, tokenize } from './tokens.ts';

/** Rulings are derived again in replay, so every change of the rules or lists raises the version. */
export const RELEASE_CHECK = 'release@1';

/** A field of a fact: the evidence reference and a JSON Pointer into its value. */
export interface FactField {
  readonly ref: string;
  readonly pointer: string;
}

/** The check's answer about one sentence. */
export interface Ruling {
  readonly ruling: 'proven' | 'not_provable' | 'refused';
  readonly reason: string;
  /** The fields that a proven sentence rests on. */
  readonly fields: readonly FactField[];
}

/** One sentence of a composed answer, with the facts of the answer and the references that it cites. */
export interface SentenceCase {
  readonly text: string;
  readonly request: string;
  readonly facts: readonly AnswerFact[];
  readonly refs: readonly string[];
}

const proven = (reason: string, fields: readonly FactField[]): Ruling => ({ ruling: 'proven', reason, fields });
const notProvable = (reason: string): Ruling => ({ ruling: 'not_provable', reason, fields: [] });
const refused = (reason: string): Ruling => ({ ruling: 'refused', reason, fields: [] });

const SENTENCE_MAX = 1_000;

/**
 * Decides whether a sentence may be shown. Proven: every clause, value and word follows from the cited facts or the
 * request. Refused: contradicted or forbidden. Not provable: everything else.
 */
export function checkSentence(sentence: SentenceCase): Ruling {
  if (sentence.text.length > SENTENCE_MAX) return notProvable('the sentence is too long');
  const subject = subjectOf(sentence);
  const refusal = refusalOf(subject);
  if (refusal !== null) return refused(refusal);
  if (isFiller(subject)) return proven('the sentence states nothing', []);
  if (isEcho(subject)) return proven('the sentence repeats the request', []);
  const report = proveReport(subject);
  if (report !== null) return report;
  if (sentence.refs.length === 0) return notProvable('the sentence cites no fact');
  return proveClauses(subject);
}

function subjectOf({ text, request, facts, refs }: SentenceCase): Subject {
  const cited = facts.filter(({ ref }) => refs.includes(ref));
  const index = indexFacts(cited);
  const all = indexFacts(facts);
  const asked = tokenize(request);
  const tokens = withoutYes(tokenize(text));
  const isOpen = (leaf: Leaf): boolean => !leaf.hidden && !leaf.untrusted;
  return {
    text,
    tokens,
    cited: { ...index, leaves: index.leaves.filter(isOpen), lists: index.lists.filter(({ hidden }) => !hidden) },
    untrusted: index.leaves.filter(({ hidden, untrusted }) => untrusted && !hidden),
    hidden: all.leaves.filter(({ hidden }) => hidden),
    uncited: all.leaves.filter((leaf) => isOpen(leaf) && !refs.includes(leaf.ref)),
    request: {
      tokens: asked,
      text: textWords(request).join(' '),
      stems: new Set(asked.flatMap((token) => (token.kind === 'word' ? [token.stem] : []))),
    },
  };
}

/** Drops a leading "Yes," or "No,": the clause behind it makes the claim. */
function withoutYes(tokens: readonly Token[]): readonly Token[] {
  const [first, second] = tokens;
  const isGreeting =
    first?.kind === 'word' &&
    /^(?:hi|hello|dear)$/u.test(first.text) &&
    second?.kind === 'word' &&
    second.capital &&
    tokens[2]?.kind === 'mark';
  if (isGreeting) return tokens.slice(3);
  const isAnswer =
    first?.kind === 'word' && ANSWER_WORDS.has(first.text) && second?.kind === 'mark' && /[,.:!–—]/u.test(second.text);
  return isAnswer ? tokens.slice(2) : tokens;
}

/** An offer of help, a greeting, thanks: no value, and only words that state nothing. */
const isFiller = ({ tokens }: Subject): boolean =>
  tokens.every(
    (token) =>
      token.kind === 'mark' ||
      (token.kind === 'word' && (FILLER_WORDS.has(token.text) || FUNCTION_WORDS.has(token.text))),
  ) && tokens.some((token) => token.kind === 'word' && FILLER_WORDS.has(token.text));

/** "You asked about …": every other word and value stands in the request. */
function isEcho({ tokens, request }: Subject): boolean {
  const [first, ...rest] = tokens.filter(({ kind }) => kind !== 'mark');
  const isAddressed = first?.kind === 'word' && /^(?:you|you'd|you've|you're|your|i|so)$/u.test(first.text);
  const hasFrame = rest.some((token) => token.kind === 'word' && ECHO_FRAMES.has(token.text));
  if (!isAddressed || !hasFrame) return false;
  return rest.every((token) => {
    if (token.kind === 'quote') return true; // a quotation was compared with the request already
    if (token.kind === 'value')
      return request.tokens.some((asked) => asked.kind === 'value' && isSameValue(asked.value, token.value));
    return (
      FUNCTION_WORDS.has(token.text) ||
      ECHO_FRAMES.has(token.text) ||
      request.stems.has(token.stem) ||
      /^(?:whether|understand|like|would|how|what|if|like|want|know|we|our)$/u.test(token.text)
    );
  });
}

/** "The mail says …": the words behind the verb stand together in one text of the cited facts. */
function proveReport({ tokens, untrusted, cited }: Subject): Ruling | null {
  const verb = tokens.findIndex((token) => token.kind === 'word' && REPORT_VERBS.has(token.text));
  if (verb < 0 || !tokens.slice(0, verb + 3).some((token) => token.kind === 'word' && TEXT_NOUNS.has(token.text)))
    return null;
  const rest = tokens
    .slice(verb + 1)
    .filter(
      (token) =>
        token.kind !== 'mark' && !(token.kind === 'word' && /^(?:that|to|for|the|about|as|it)$/u.test(token.text)),
    );
  const said = textWords(rest.map(({ text }) => text).join(' ')).join(' ');
  const before = tokens
    .slice(0, verb)
    .filter((token) => token.kind === 'word' && !FUNCTION_WORDS.has(token.text) && !TEXT_NOUNS.has(token.text));
  const texts = [...untrusted, ...cited.leaves].filter(({ kind }) => kind === 'text');
  const source = texts.find(({ words }) =>
    ` ${words.filter((word) => !/^(?:that|to|for|the|about|as|it)$/u.test(word)).join(' ')} `.includes(` ${said} `),
  );
  if (said.split(' ').length < 3 || source === undefined)
    return untrusted.length > 0 ? notProvable('the words do not stand together in a cited text') : null;
  if (before.some((token) => token.kind === 'word' && !texts.some(({ words }) => words.includes(token.text))))
    return notProvable('the sentence says more than who reports');
  return proven('the words stand in a cited text', [source]);
}

function proveClauses(subject: Subject): Ruling {
  const fields: FactField[] = [];
  let record: readonly string[] | null = null;
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

type ClauseRuling = Ruling & { readonly record?: readonly string[] };

function proveClause(clause: Clause, subject: Subject, carried: readonly string[] | null): ClauseRuling {
  const quotation = proveQuotation(clause, subject);
  if (quotation !== null) return quotation;
  const { cited } = subject;
  if (clause.occurrences.length === 0) return proveStatement(clause, subject, cited.leaves, []);
  const hasNegation = clause.words.some(({ text }) => NEGATORS.has(text));
  const statement = proveStatementIn(clause, subject, carried);
  if (hasNegation || statement.ruling === 'proven') return statement;
  const computed = new Map(
    clause.occurrences
      .filter(({ equal, stated }) => equal.length === 0 || isBareCount(stated))
      .map((occurrence) => [occurrence, compute(clause, occurrence, cited)] as const),
  );
  for (const result of computed.values()) if (result?.ruling === 'refused') return refused(result.reason);
  const counted = [...computed].filter(([, result]) => result !== null).map(([occurrence]) => occurrence);
  const open = clause.occurrences.find((occurrence) => occurrence.equal.length === 0 && !counted.includes(occurrence));
  if (open !== undefined) {
    const unit = open.near.find(({ match }) => match === 'unit');
    return unit === undefined
      ? notProvable('a value is not a value of a cited field')
      : refused(`the unit differs from that of ${unit.leaf.pointer}`);
  }
  const rest = clause.occurrences.filter((occurrence) => !counted.includes(occurrence));
  const results = [...computed.values()].flatMap((result) => (result?.ruling === 'proven' ? [result] : []));
  const filtersCounted =
    results.length > 0 &&
    rest.every(({ equal }) => equal.every((leaf) => results.some(({ leaves }) => leaves.includes(leaf))));
  const bound = filtersCounted
    ? { bindings: [] as readonly Binding[], record: null, lists: [] as readonly ListNode[] }
    : bindClause(clause, rest, subject, carried);
  if ('ruling' in bound) return bound;
  const extra = {
    leaves: results.flatMap(({ leaves }) => leaves),
    lists: [...bound.lists, ...results.flatMap(({ lists }) => lists)],
    used: new Set(results.flatMap(({ used }) => [...used])),
  };
  const gap = coverage(clause, subject, bound.bindings, extra, bound.record);
  if (gap !== null) return gap;
  const leaves = [...bound.bindings.map(({ leaf }) => leaf), ...extra.leaves];
  const fields = [...leaves, ...extra.lists.filter(() => leaves.length === 0)].map(({ ref, pointer }) => ({
    ref,
    pointer,
  }));
  return { ...proven('', fields), ...(bound.record === null ? {} : { record: bound.record }) };
}

/** A clause that quotes a text of the facts and says no more than which text it is. */
function proveQuotation(clause: Clause, { cited, untrusted }: Subject): ClauseRuling | null {
  const quote = clause.tokens.find(({ kind }) => kind === 'quote');
  if (
    quote === undefined ||
    clause.occurrences.some(({ from, to }) => clause.tokens.indexOf(quote) >= from && clause.tokens.indexOf(quote) < to)
  )
    return null;
  const said = textWords(quote.text).join(' ');
  const source = [...cited.leaves, ...untrusted].find(({ words }) => ` ${words.join(' ')} `.includes(` ${said} `));
  if (source === undefined) return notProvable('the quotation has no field');
  const explained = new Set([...source.own, ...source.path, ...cited.toolWords]);
  const isOpen = ({ text, stem }: Clause['words'][number]): boolean =>
    !explained.has(stem) &&
    !FUNCTION_WORDS.has(text) &&
    !LIGHT_VERBS.has(text) &&
    !TEXT_NOUNS.has(text) &&
    !REPORT_VERBS.has(text) &&
    !/^(?:word|one|line|sentence|participant|person)s?$/u.test(text);
  const rest = clause.words.find(isOpen);
  const others = clause.occurrences.some(({ equal }) => !equal.some((leaf) => isVisibleIn(leaf, source.records)));
  if (rest !== undefined || others || clause.words.some(({ text }) => NEGATORS.has(text)))
    return notProvable('the sentence says more than the quotation');
  return proven('', [{ ref: source.ref, pointer: source.pointer }]);
}

const isBareCount = (stated: Occurrence['stated']): boolean =>
  stated.type === 'number' && stated.currency === null && stated.unit === null && !stated.minor;

interface BoundClause {
  readonly bindings: readonly Binding[];
  readonly record: readonly string[] | null;
  readonly lists: readonly ListNode[];
}

/** Binds the values of a clause in one record, or as a list in several elements of one list. */
function bindClause(
  clause: Clause,
  occurrences: readonly Occurrence[],
  { cited }: Subject,
  carried: readonly string[] | null,
  isSubject = false,
): BoundClause | Ruling {
  const records = recordsOf(cited.leaves).filter((record) =>
    occurrences.every(({ equal }) => equal.some((leaf) => isVisibleIn(leaf, record))),
  );
  const isCarried = (one: readonly string[]): number => (carried !== null && one.join() === carried.join() ? 0 : 1);
  const [record] = [...records].sort((a, b) => isCarried(a) - isCarried(b) || a.length - b.length);
  if (record === undefined) return bindList(clause, occurrences, cited) ?? conflated(clause, occurrences, cited);
  const bound = bindIn(clause, occurrences, record, cited.leaves);
  if (!bound.ok) return bound.contradicted ? refused(bound.reason) : notProvable(bound.reason);
  const deepest = bound.bindings.reduce<readonly string[]>(
    (a, { leaf }) => (leaf.records.length > a.length ? leaf.records : a),
    [],
  );
  if (carried !== null && !isPrefix(carried, deepest) && !isPrefix(deepest, carried))
    return notProvable('the clauses rest on different records');
  if (!isIdentified(bound.bindings, deepest, cited, carried, isSubject))
    return notProvable('several records fit, and the sentence does not say which one');
  return { bindings: bound.bindings, record: deepest, lists: [] };
}

const isPrefix = (a: readonly string[], b: readonly string[]): boolean =>
  a.length <= b.length && a.every((one, place) => b[place] === one);

/** A record of a list is identified by two of its values, by an identifier, or by being the only one. */
function isIdentified(
  bindings: readonly Binding[],
  record: readonly string[],
  { lists }: FactIndex,
  carried: readonly string[] | null,
  isSubject: boolean,
): boolean {
  const element = record.at(-1) ?? '';
  const list = lists.find(({ elements }) => elements.includes(element));
  if (list === undefined || list.elements.length < 2 || carried?.includes(element) === true) return true;
  const inside = bindings.filter(({ leaf }) => leaf.records.at(-1) === element);
  const isUnique = ({ occurrence, leaf }: Binding): boolean =>
    leaf.kind === 'text' &&
    occurrence.equal.every(
      ({ records }) => records.includes(element) || !records.some((one) => list.elements.includes(one)),
    );
  if (inside.some(({ leaf }) => `${leaf.ref}${leaf.pointer}` === element)) return true; // a value of a list of plain values
  return (
    inside.length > 1 ||
    inside.some(({ occurrence, leaf }) => occurrence.stated.type === 'id' || leaf.shape === 'id') ||
    (isSubject && inside.some(isUnique))
  );
}

/** Two values of different elements of one list, taken as one record, contradict the facts. */
function conflated(clause: Clause, occurrences: readonly Occurrence[], { lists }: FactIndex): Ruling {
  const first = occurrences.find(({ stated }) => stated.type === 'id' || stated.type === 'text') ?? occurrences[0];
  for (const list of lists) {
    const elements = (one: Occurrence | undefined): ReadonlySet<string> =>
      new Set((one?.equal ?? []).flatMap(({ records }) => records.filter((record) => list.elements.includes(record))));
    const own = elements(first);
    if (own.size !== 1) continue;
    const keys = new Set(first?.equal.map(({ key }) => key));
    const other = occurrences.find(
      (one) =>
        one !== first &&
        !one.equal.some(({ key }) => keys.has(key)) &&
        elements(one).size > 0 &&
        [...elements(one)].every((element) => !own.has(element)) &&
        one.equal.every(({ records }) => records.some((record) => list.elements.includes(record))),
    );
    if (other !== undefined && first !== undefined && !isCoordinated(clause, ...inOrder(first, other)))
      return refused('the values belong to different records');
  }
  return notProvable('no single record has all the values');
}

/** "INV-1, INV-2 and INV-3 are open": values of the elements of one list; a value that all of them have is shared. */
function bindList(clause: Clause, occurrences: readonly Occurrence[], cited: FactIndex): BoundClause | null {
  for (const list of cited.lists) {
    const elementsOf = ({ equal }: Occurrence): readonly string[] =>
      list.elements.filter((element) => equal.some(({ records }) => records.includes(element)));
    const groups: Occurrence[][] = [];
    const shared: Occurrence[] = [];
    let fits: readonly string[] = [];
    for (const occurrence of occurrences) {
      const own = elementsOf(occurrence);
      const both = fits.filter((element) => own.includes(element));
      if (own.length > 1) shared.push(occurrence);
      else if (own.length === 0) break;
      else if (groups.length > 0 && both.length > 0) groups.at(-1)?.push(occurrence);
      else if (groups.length === 0 || isCoordinated(clause, groups.at(-1)?.at(-1), occurrence)) {
        groups.push([occurrence]);
        fits = own;
      } else break;
    }
    if (groups.length < 2 || groups.flat().length + shared.length < occurrences.length) continue;
    const bound = bindGroups(clause, groups, shared, list, cited);
    if (bound !== null) return bound;
  }
  return null;
}

function bindGroups(
  clause: Clause,
  groups: readonly (readonly Occurrence[])[],
  shared: readonly Occurrence[],
  list: ListNode,
  cited: FactIndex,
): BoundClause | null {
  const bindings: Binding[] = [];
  const used = new Set<string>();
  const size = groups[0]?.length ?? 0;
  for (const group of groups) {
    const all = [...group, ...shared];
    const record = recordsOf(cited.leaves).find(
      (one) =>
        list.elements.some((element) => one.includes(element)) &&
        all.every(({ equal }) => equal.some((leaf) => isVisibleIn(leaf, one))),
    );
    const element = record?.find((one) => list.elements.includes(one));
    if (group.length !== size || record === undefined || element === undefined || used.has(element)) return null;
    used.add(element);
    const bound = bindIn({ ...clause, occurrences: all }, all, record, cited.leaves);
    if (!bound.ok) return null;
    bindings.push(...bound.bindings);
  }
  const keys = new Set(bindings.map(({ leaf }) => leaf.key));
  if (keys.size !== size + shared.length) return null;
  const matching = list.elements.filter((element) =>
    shared.every(({ equal }) => equal.some(({ records }) => records.includes(element))),
  );
  const first = groups[0]?.[0]?.from ?? 0;
  const isExhaustive =
    clause.words.some(({ at, stem }) => at < first && list.own.has(stem)) &&
    !clause.words.some(({ text }) => /^(?:includ|among|such)/u.test(text));
  return isExhaustive && used.size < matching.length ? null : { bindings, record: null, lists: [list] };
}

const inOrder = (a: Occurrence, b: Occurrence): readonly [Occurrence, Occurrence] =>
  a.from < b.from ? [a, b] : [b, a];

const isCoordinated = ({ tokens }: Clause, a: Occurrence | undefined, b: Occurrence): boolean =>
  tokens
    .slice(a?.to ?? 0, b.from)
    .some(
      (token) =>
        (token.kind === 'mark' && /[,;:•)]/u.test(token.text)) || (token.kind === 'word' && token.text === 'and'),
    );

interface Extra {
  readonly leaves: readonly Leaf[];
  readonly lists: readonly ListNode[];
  readonly used: ReadonlySet<string>;
}

/** Every word must be explained by a bound field, a list, the request or a word list. Returns the ruling on a gap. */
function coverage(
  clause: Clause,
  subject: Subject,
  bindings: readonly Binding[],
  { leaves, lists, used }: Extra,
  record: readonly string[] | null,
): Ruling | null {
  const { cited, request } = subject;
  const bound = [...bindings.map(({ leaf }) => leaf), ...leaves];
  const explained = new Set([
    ...bound.flatMap(({ own, path, full }) => [...own, ...path, ...full]),
    ...lists.flatMap(({ own }) => [...own]),
    ...used,
  ]);
  const concepts = new Set([...explained].map(conceptOf));
  const isKey = (word: string): boolean => explained.has(word) || concepts.has(conceptOf(word));
  const entities = new Set(cited.leaves.flatMap(({ key }) => entityOf(key)));
  const rivalWords = new Set(cited.leaves.filter((leaf) => !bound.includes(leaf)).flatMap(({ own }) => [...own]));
  for (const [place, { text, stem, at }] of clause.words.entries()) {
    if (isKey(stem) || used.has(stem)) continue;
    const operator = operatorRuling(clause, subject, bindings, place, record);
    if (operator !== undefined) {
      if (operator !== null) return operator;
      continue;
    }
    if ((UNCOMPUTED.has(text) && text !== 'should') || NEGATORS.has(text))
      return notProvable(`the check does not cover "${text}" here`);
    if (FUNCTION_WORDS.has(text) || LIGHT_VERBS.has(text) || RECORD_NOUNS.has(text)) continue;
    if ((cited.toolWords.has(stem) || entities.has(stem)) && !/ed$/u.test(text)) continue;
    if (isRequestNoun(text, stem, request) && !rivalWords.has(stem)) continue;
    if (text === 'should' && bound.some(({ own }) => [...own].some((word) => conceptOf(word) === 'eta'))) continue;
    if (
      text === 'will' &&
      bound.some(
        ({ kind, own }) =>
          kind === 'moment' && own.has(clause.naming.find((word) => word.at > at && word.text !== 'be')?.stem ?? ''),
      )
    )
      continue;
    if (isWeekday(clause, at, bindings) || isKindNoun(text, bound)) continue;
    if (text === 'yet' && clause.tokens.some((token) => token.kind === 'word' && NEGATORS.has(token.text))) continue;
    return notProvable(`no cited field explains "${text}"`);
  }
  return null;
}

/** The noun of an identifying key: `order_id` names an order. */
const entityOf = (key: string): readonly string[] => {
  const words = keyWords(key);
  return words.length > 1 && ID_ENDINGS.has(words.at(-1) ?? '') ? words.slice(0, -1).map(stemOf) : [];
};

/** Words of the request explain nouns only: a verb or an adjective of the request is not a fact. */
const isRequestNoun = (text: string, stem: string, { stems }: Request): boolean =>
  stems.has(stem) && !/(?:ed|ing|ly)$/u.test(text) && text.length > 2;

const isKindNoun = (text: string, leaves: readonly Leaf[]): boolean =>
  leaves.some(({ kind, number, shape, value }) => {
    if (kind === 'moment') return KIND_NOUNS.moment.has(text);
    if (number?.currencies != null) return KIND_NOUNS.money.has(text);
    if (number?.unit != null) return KIND_NOUNS.span.has(text);
    return shape === 'id' || /^\d+$/u.test(String(value)) ? KIND_NOUNS.id.has(text) : false;
  });

/** "Friday, 3 May 2026": the weekday must be that of the bound day. Any other weekday is not explained. */
const isWeekday = (_clause: Clause, at: number, bindings: readonly Binding[]): boolean => {
  const token = _clause.tokens[at];
  const weekday = token?.kind === 'word' ? WEEKDAYS.indexOf(token.text) : -1;
  const day = bindings.find(({ leaf }) => leaf.moment?.day != null)?.leaf.moment?.day;
  return weekday >= 0 && day != null && weekdayOf(day) === weekday;
};

/**
 * The ruling on a quantifier or superlative: null if the facts prove it, undefined if the word is none.
 */
function operatorRuling(
  clause: Clause,
  { cited }: Subject,
  bindings: readonly Binding[],
  place: number,
  record: readonly string[] | null,
): Ruling | null | undefined {
  const word = clause.words[place];
  if (word === undefined) return undefined;
  const two = `${word.text} ${clause.words[place + 1]?.text ?? ''}`;
  const superlative = SUPERLATIVES[word.text] ?? SUPERLATIVES[two];
  const isAdverb =
    /^(?:last|first)$/u.test(word.text) &&
    /ed$/u.test(clause.tokens[word.at + 1]?.text ?? '') &&
    !cited.lists.some(({ elements }) => elements.includes(record?.at(-1) ?? ''));
  if (isAdverb) return null;
  if (superlative !== undefined && Object.hasOwn(SUPERLATIVES, SUPERLATIVES[word.text] === undefined ? two : word.text))
    return provesMost(superlative, cited, bindings, record);
  if (UNIVERSALS.has(word.text)) return provesAll(clause, cited, bindings);
  if (EXCLUSIVES.has(word.text)) return notProvable(`"${word.text}" is not provable`);
  return undefined;
}

function provesMost(
  { most, kind }: { readonly most: boolean; readonly kind: 'number' | 'date' },
  cited: FactIndex,
  bindings: readonly Binding[],
  record: readonly string[] | null,
): Ruling | null {
  const element = record?.at(-1) ?? '';
  const list = cited.lists.find(({ elements }) => elements.includes(element));
  if (list === undefined || !list.complete) return notProvable('the list is not known to be whole');
  const valueOf = (leaf: Leaf): bigint | null =>
    kind === 'number'
      ? (leaf.number?.amount ?? null)
      : leaf.moment?.day == null
        ? null
        : BigInt(dayNumber(leaf.moment.day) * 1_440 + (leaf.moment.minutes ?? 0));
  const inside = cited.leaves.filter((leaf) => leaf.records.at(-1) === element && valueOf(leaf) !== null);
  const named =
    bindings.find(({ leaf }) => inside.includes(leaf))?.leaf ?? (inside.length === 1 ? inside[0] : undefined);
  if (named === undefined) return notProvable('the sentence does not say which field is compared');
  const others = cited.leaves.filter(
    (leaf) => leaf.key === named.key && list.elements.includes(leaf.records.at(-1) ?? ''),
  );
  const own = valueOf(named) ?? 0n;
  const isMost =
    others.length === list.elements.length &&
    others.every((leaf) => (most ? (valueOf(leaf) ?? 0n) <= own : (valueOf(leaf) ?? 0n) >= own));
  return isMost ? null : refused(`${named.pointer} is not the ${most ? 'largest' : 'smallest'} of its list`);
}

/** "All invoices are paid": each element of a whole list has the bound value. */
function provesAll(clause: Clause, cited: FactIndex, bindings: readonly Binding[]): Ruling | null {
  const stems = new Set(clause.words.map(({ stem }) => stem));
  const list = cited.lists.find(({ own }) => [...own].some((word) => stems.has(word)));
  const leaf = bindings.find(
    (one) => list !== undefined && one.leaf.records.some((record) => list.elements.includes(record)),
  )?.leaf;
  if (list === undefined || leaf === undefined)
    return notProvable('the sentence speaks of all, and the facts name no such list');
  const column = cited.leaves.filter((one) => one.key === leaf.key && list.elements.includes(one.records.at(-1) ?? ''));
  if (column.some((one) => JSON.stringify(one.value) !== JSON.stringify(leaf.value)))
    return refused('not every element of the list has this value');
  return list.complete && column.length === list.elements.length
    ? null
    : notProvable('the list is not known to be whole');
}

/** A statement about one record that the values of the clause identify: "INV-1 is not overdue". */
function proveStatementIn(clause: Clause, subject: Subject, carried: readonly string[] | null): ClauseRuling {
  const bound = bindClause(clause, clause.occurrences, subject, carried, true);
  if ('ruling' in bound) return bound;
  const { bindings, record } = bound;
  if (record === null) return notProvable('the sentence names several records');
  const leaves = subject.cited.leaves.filter(
    (leaf) => isVisibleIn(leaf, record) && !bindings.some((binding) => binding.leaf === leaf),
  );
  return { ...proveStatement(clause, subject, leaves, bindings), record };
}

/** A clause that states a boolean field, or "none" of a list, a missing value or zero. */
function proveStatement(
  clause: Clause,
  subject: Subject,
  leaves: readonly Leaf[],
  bindings: readonly Binding[],
): ClauseRuling {
  const { cited } = subject;
  const negations = clause.words.filter(({ text }) => NEGATORS.has(text)).length;
  const isNegative = negations % 2 === 1;
  const stems = new Set(clause.words.map(({ stem }) => stem));
  const concepts = new Set([...stems].map(conceptOf));
  const isNamed = (own: ReadonlySet<string>): boolean =>
    own.size > 0 && [...own].every((word) => stems.has(word) || concepts.has(conceptOf(word)));
  const named = leaves.filter(
    ({ own, kind, number }) =>
      (kind === 'boolean' || kind === 'empty' || (isNegative && number !== null)) && isNamed(own),
  );
  const lists = cited.lists.filter(
    ({ own, elements }) => isNegative && bindings.length === 0 && elements.length > 0 && isNamed(own),
  );
  const longest = Math.max(0, ...named.map(({ own }) => own.size), ...lists.map(({ own }) => own.size));
  const [leaf, ...others] = named.filter(({ own }) => own.size === longest);
  if (leaf === undefined)
    return lists.length > 0 && lists[0]?.own.size === longest
      ? contradictedList(clause, lists[0] as ListNode, subject)
      : notProvable('the sentence names no field');
  if (others.some((other) => JSON.stringify(other.value) !== JSON.stringify(leaf.value)))
    return notProvable('several fields fit');
  const ruling = polarity(leaf, isNegative);
  if (ruling === null) return notProvable(`${leaf.pointer} does not decide this`);
  const isFree = (text: string): boolean =>
    NEGATORS.has(text) ||
    AFFIRMERS.has(text) ||
    BOOLEAN_FRAMES.has(text) ||
    text === 'any' ||
    (isNegative && leaf.kind !== 'boolean' && NONE_VERBS.has(text));
  const words = clause.words.filter(({ text }) => !isFree(text));
  const gap = coverage(
    { ...clause, words },
    subject,
    bindings,
    { leaves: [leaf, ...others], lists: [], used: new Set() },
    null,
  );
  if (gap !== null) return gap;
  return ruling
    ? proven(
        '',
        [leaf, ...bindings.map((binding) => binding.leaf)].map(({ ref, pointer }) => ({ ref, pointer })),
      )
    : refused(`${leaf.pointer} says the opposite`);
}

/** Whether the field supports the clause; null if it decides nothing. */
function polarity({ kind, value, number }: Leaf, isNegative: boolean): boolean | null {
  if (kind === 'boolean') return value === !isNegative;
  if (kind === 'empty') return isNegative ? true : null;
  if (!isNegative) return null;
  return number !== null ? number.amount === 0n : null;
}

function contradictedList(clause: Clause, list: ListNode, subject: Subject): Ruling {
  const words = clause.words.filter(({ text }) => !NEGATORS.has(text) && text !== 'any');
  const gap = coverage({ ...clause, words }, subject, [], { leaves: [], lists: [list], used: new Set() }, null);
  return gap ?? refused(`${list.pointer} is not empty`);
}
