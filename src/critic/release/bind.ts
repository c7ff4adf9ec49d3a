import { columnOf, type FactIndex, type Leaf, type ListNode, recordOf } from './facts.ts';
import { bindIn, type FieldBinding, isPrefix, type Unbound, unbound } from './fields.ts';
import type { Clause, Occurrence } from './occurrence.ts';

/** The bound values of a clause, the record they belong to (null for several), and the lists they enumerate. */
export interface BoundClause {
  readonly bindings: readonly FieldBinding[];
  readonly record: readonly string[] | null;
  readonly lists: readonly ListNode[];
}

const TRIES_MAX = 12;

/** Binds the values of a clause in one record, or as a list in several elements of one list. */
export function bindClause(
  clause: Clause,
  occurrences: readonly Occurrence[],
  cited: FactIndex,
  carried: readonly string[] | null,
  counted: readonly Leaf[],
): BoundClause | Unbound {
  if (occurrences.length === 0) return { bindings: [], record: null, lists: [] };
  const chains = new Map(occurrences.flatMap(({ equal }) => equal.map(({ records }) => [records.join('\n'), records])));
  const held = occurrences.map(({ equal }) => new Set(equal.map(recordOf)));
  const holds = (chain: readonly string[]): boolean => held.every((set) => chain.some((one) => set.has(one)));
  const isCarried = (one: readonly string[]): number => (carried !== null && isPrefix(carried, one) ? 0 : 1);
  const records = [...chains.values()]
    .filter(holds)
    .sort((a, b) => isCarried(a) - isCarried(b) || a.length - b.length)
    .slice(0, TRIES_MAX);
  let first: Unbound | null = null;
  for (const record of records) {
    const bound = bindRecord(clause, occurrences, record, cited, carried);
    if ('bindings' in bound) return bound;
    first ??= { ...bound, contradicted: bound.contradicted && records.length === 1 };
  }
  return first ?? bindList(clause, occurrences, cited, counted) ?? conflated(clause, occurrences, cited);
}

function bindRecord(
  clause: Clause,
  occurrences: readonly Occurrence[],
  record: readonly string[],
  cited: FactIndex,
  carried: readonly string[] | null,
): BoundClause | Unbound {
  const bindings = bindIn(clause, occurrences, record, cited.leaves);
  if ('reason' in bindings) return bindings;
  if (!isUniform(clause, bindings)) return unbound('the values that "and" joins belong to different fields');
  const deepest = bindings.reduce<readonly string[]>(
    (a, { leaf }) => (leaf.records.length > a.length ? leaf.records : a),
    [],
  );
  if (
    carried !== null &&
    !isPrefix(carried, deepest) &&
    !isPrefix(deepest, carried) &&
    !isNamedRecord(bindings, deepest)
  )
    return unbound('the clauses rest on different records');
  if (!isIdentified(clause, bindings, deepest, cited, carried))
    return unbound('several records fit, and the sentence does not say which one');
  return { bindings, record: deepest, lists: [] };
}

/** "F12 and F13": texts that "and" joins are different values of one field. */
function isUniform(clause: Clause, bindings: readonly FieldBinding[]): boolean {
  const texts = bindings
    .filter(({ occurrence, leaf }) => leaf.kind === 'text' || occurrence.stated.type === 'day')
    .sort((a, b) => a.occurrence.from - b.occurrence.from);
  return texts.every(({ occurrence, leaf }, place) => {
    const next = texts[place + 1];
    const between = clause.tokens.slice(occurrence.to, next?.occurrence.from).map(({ text }) => text);
    if (next === undefined || between.length > 2 || !between.includes('and')) return true;
    return between.every((text) => /^(?:,|and|the|an?)$/u.test(text))
      ? leaf.key === next.leaf.key && leaf !== next.leaf
      : true;
  });
}

const isNamedRecord = (bindings: readonly FieldBinding[], record: readonly string[]): boolean =>
  bindings.filter(({ leaf }) => leaf.records.length === record.length && leaf.kind === 'text').length > 0 &&
  bindings.length > 1;

/** A record of a list is identified by two of its values, by an identifier, or by being the only one. */
function isIdentified(
  clause: Clause,
  bindings: readonly FieldBinding[],
  record: readonly string[],
  { lists, leaves }: FactIndex,
  carried: readonly string[] | null,
): boolean {
  const element = record.at(-1) ?? '';
  const list = lists.find(({ members }) => members.has(element));
  if (list === undefined || list.elements.length < 2 || carried?.includes(element) === true) return true;
  const inside = bindings.filter(({ leaf }) => recordOf(leaf) === element);
  if (inside.some(({ leaf }) => `${leaf.ref}${leaf.pointer}` === element)) return true; // a value of a list of plain values
  const keys = new Set(inside.map(({ leaf }) => leaf.pointer));
  const isDistinctText = ({ occurrence, leaf }: FieldBinding): boolean =>
    leaf.words.length > 2 && new Set(occurrence.equal.map(recordOf)).size === 1;
  if (inside.some(isDistinctText)) return true;
  if (keys.size > 1 || inside.some(({ occurrence, leaf }) => occurrence.stated.type === 'id' || leaf.shape === 'id'))
    return true;
  const isPlural = clause.naming.some(({ stem: word }) => list.own.has(word));
  return (
    isPlural &&
    list.complete &&
    inside.every(({ occurrence, leaf }) => {
      const column = columnOf(leaf, list, leaves);
      return column.length === list.elements.length && column.every((one) => occurrence.equal.includes(one));
    })
  );
}

/** A bare number, a state or a flag may stand in many records by chance. */
const isDistinct = ({ stated, equal }: Occurrence): boolean => {
  if (stated.type === 'number') return stated.currency !== null || stated.unit !== null;
  return stated.type !== 'flag' && !equal.some(({ shape }) => shape === 'state');
};

/** Two values of different elements of one list, taken as one record, contradict the facts. */
function conflated(clause: Clause, occurrences: readonly Occurrence[], { lists }: FactIndex): Unbound {
  const first = occurrences.find(({ stated }) => stated.type === 'id' || stated.type === 'text') ?? occurrences[0];
  for (const list of lists) {
    const elements = (one: Occurrence | undefined): ReadonlySet<string> =>
      new Set((one?.equal ?? []).flatMap(({ records }) => records.filter((record) => list.members.has(record))));
    const own = elements(first);
    if (own.size !== 1) continue;
    const keys = new Set(first?.equal.map(({ key }) => key));
    const other = occurrences.find(
      (one) =>
        one !== first &&
        isDistinct(one) &&
        !one.equal.some(({ key }) => keys.has(key)) &&
        elements(one).size > 0 &&
        [...elements(one)].every((element) => !own.has(element)) &&
        one.equal.every(({ records }) => records.some((record) => list.members.has(record))),
    );
    if (other !== undefined && first !== undefined && !isCoordinated(clause, ...inOrder(first, other)))
      return unbound('the values belong to different records', true);
  }
  return unbound('no single record has all the values');
}

const inOrder = (a: Occurrence, b: Occurrence): readonly [Occurrence, Occurrence] =>
  a.from < b.from ? [a, b] : [b, a];

const isCoordinated = ({ tokens }: Clause, a: Occurrence | undefined, b: Occurrence): boolean =>
  tokens
    .slice(a?.to ?? 0, b.from)
    .some(
      (token) =>
        (token.kind === 'mark' && /[,;:•()/&–-]/u.test(token.text)) ||
        (token.kind === 'word' && /^(?:and|plus)$/u.test(token.text)),
    );

/** Whether nothing but a comma or "and" stands between two values. */
const isNextTo = ({ tokens }: Clause, a: Occurrence, b: Occurrence): boolean =>
  b.from > a.to && tokens.slice(a.to, b.from).every(({ text }) => /^(?:,|and)$/u.test(text));

/** "INV-1, INV-2 and INV-3 are open": values of the elements of one list; a value that all of them have is shared. */
function bindList(
  clause: Clause,
  occurrences: readonly Occurrence[],
  cited: FactIndex,
  counted: readonly Leaf[],
): BoundClause | null {
  for (const list of cited.lists) {
    const groups = groupsOf(clause, occurrences, list);
    const bound = groups === null ? null : bindGroups(clause, groups, list, cited, counted);
    if (bound !== null) return bound;
  }
  return null;
}

interface Groups {
  readonly own: readonly (readonly Occurrence[])[];
  readonly shared: readonly Occurrence[];
}

const isOf = ({ equal }: Occurrence, element: string): boolean =>
  equal.some(({ records }) => records.includes(element));

/**
 * Splits the values by the element of the list that holds them; null if the sentence does not coordinate them so. A value
 * that every mentioned element has is shared.
 */
function groupsOf(clause: Clause, occurrences: readonly Occurrence[], list: ListNode): Groups | null {
  const { members: elements } = list;
  const fitting = (one: Occurrence): ReadonlySet<string> =>
    new Set(one.equal.flatMap(({ records }) => records.filter((record) => elements.has(record))));
  const fits = new Map(occurrences.map((one) => [one, fitting(one)]));
  const mentioned = new Set(
    [...fits].flatMap(([one, own]) => (own.size === 1 && one.stated.type !== 'flag' ? [...own] : [])),
  );
  const isShared = (one: Occurrence): boolean => {
    const own = fits.get(one) ?? new Set();
    return (
      one.stated.type === 'flag' ||
      own.size === 0 ||
      (own.size > 1 && [...mentioned].every((element) => own.has(element)))
    );
  };
  const own: Occurrence[][] = [];
  let open: readonly string[] = [];
  for (const occurrence of occurrences.filter((one) => !isShared(one))) {
    const group = own.at(-1);
    const found = [...(fits.get(occurrence) ?? [])];
    const both = open.filter((element) => found.includes(element));
    const isRepeated = group?.some(({ equal }) =>
      equal.some(({ key }) => occurrence.equal.every((one) => one.key === key)),
    );
    if (group !== undefined && both.length > 0 && isRepeated !== true) {
      group.push(occurrence);
      open = both;
    } else if (group === undefined || isCoordinated(clause, group.at(-1), occurrence)) {
      own.push([occurrence]);
      open = found;
    } else return null;
  }
  const shared = occurrences.filter(isShared);
  const isEnumerated = (one: Occurrence): boolean =>
    one.stated.type !== 'flag' && own.flat().some((other) => isNextTo(clause, ...inOrder(one, other)));
  const [start, end] = [own[0]?.[0]?.from ?? 0, own.at(-1)?.at(-1)?.from ?? 0];
  const isInside = ({ from, stated, equal }: Occurrence): boolean =>
    (stated.type !== 'flag' && from > start && from < end && !equal.every(({ shape }) => shape === 'state')) ||
    (stated.type === 'number' && !equal.some(({ records }) => records.some((record) => elements.has(record))));
  return own.length < 2 || shared.some((one) => isEnumerated(one) || isInside(one)) ? null : { own, shared };
}

function bindGroups(
  clause: Clause,
  { own, shared }: Groups,
  list: ListNode,
  cited: FactIndex,
  counted: readonly Leaf[],
): BoundClause | null {
  const bindings: FieldBinding[] = [];
  const used = new Set<string>();
  const size = Math.max(...own.map(({ length }) => length));
  for (const group of own) {
    const all = [...group, ...shared];
    const chains = group.flatMap(({ equal }) => equal.map(({ records }) => records));
    const record = chains.find((one) => all.every(({ equal }) => equal.some(({ records }) => isPrefix(records, one))));
    const element = record?.find((one) => list.members.has(one));
    if (record === undefined || element === undefined || used.has(element)) return null;
    used.add(element);
    const bound = bindIn({ ...clause, occurrences: all }, all, record, cited.leaves);
    if ('reason' in bound) return null;
    bindings.push(...bound);
  }
  const keys = new Set(bindings.map(({ leaf }) => leaf.key));
  const isNamed = [...keys].every(
    (key) =>
      bindings.some(({ leaf }) => leaf.key === key && leaf.kind === 'number') ||
      bindings.filter(({ leaf }) => leaf.key === key).length === own.length,
  );
  if (keys.size !== size + shared.length || !isNamed) return null;
  const countedIn = counted.filter(({ records }) => records.some((record) => list.members.has(record)));
  const holding = list.elements.filter(
    (element) =>
      (countedIn.length === 0 || countedIn.some(({ records }) => records.includes(element))) &&
      shared.every((one) => isOf(one, element) || !list.elements.some((other) => isOf(one, other))),
  );
  const first = own[0]?.[0]?.from ?? 0;
  const isExhaustive =
    clause.words.some(({ at, stem: word }) => at < first && list.own.has(word)) &&
    !clause.words.some(({ text }) => /^(?:includ|among|such)/u.test(text));
  return isExhaustive && used.size < holding.length ? null : { bindings, record: null, lists: [list] };
}
