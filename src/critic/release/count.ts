import { SCALE } from './amounts.ts';
import { type FactIndex, isSynonym, type Leaf, type ListNode } from './facts.ts';
import type { Clause, Occurrence } from './occurrence.ts';
import type { StatedNumber } from './tokens.ts';
import { isEntityNoun } from './words/entities.ts';

/** A recomputed number: the leaves and lists it rests on, and the stems that the computation explains. */
export interface DerivedNumber {
  readonly leaves: readonly Leaf[];
  readonly lists: readonly ListNode[];
  readonly used: ReadonlySet<string>;
  /** Other values of the clause that the computation uses up, such as the count of a product. */
  readonly explains?: readonly Occurrence[];
}

/** A count that differs from the length of its list. */
export interface Miscount {
  readonly refused: string;
  readonly list: ListNode;
}

export type Computed = DerivedNumber | Miscount | null;

/** A name or an identifier of the record around the list does not select elements, nor does a date beside the list. */
const isAround = ({ ref, records, kind, shape, pointer }: Leaf, list: ListNode): boolean =>
  ref === list.ref &&
  records.length === 1 &&
  (kind === 'moment' ? parentOf(pointer) === parentOf(list.pointer) : shape === 'id' || shape === 'name');

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

/** An amount that no field holds is proven by its own computation. */
const isComputedAmount = ({ stated, equal }: Occurrence): boolean => stated.type === 'number' && equal.length === 0;

const isBare = ({ stated }: Occurrence): boolean =>
  stated.type === 'number' && stated.currency === null && stated.unit === null && !stated.minor;

/** "three invoices", "two of the three sensors are online": elements of a whole list, or those with the values of the clause. */
export function countOf(clause: Clause, occurrence: Occurrence, stated: StatedNumber, index: FactIndex): Computed {
  const before = clause.tokens[occurrence.from - 1];
  if (!isBare(occurrence) || (before?.kind === 'word' && isEntityNoun(before.text))) return null; // "Hall 3" is no count
  const list = countedList(clause, occurrence, index);
  if (list === undefined || !list.complete) return null;
  const nouns = elementNouns(clause, occurrence, list, index.leaves);
  const isCount = (count: number): boolean => stated.amounts.includes(BigInt(count) * SCALE);
  const isOf = (leaf: Leaf): boolean => leaf.records.some((record) => list.members.has(record));
  if (isTotal(clause, occurrence)) {
    if (isCount(list.elements.length)) return derived(list, [], nouns);
    return { refused: 'the list has another length', list };
  }
  const flags = clause.flags.filter(({ equal, against }) => [...equal, ...against].some(isOf));
  const filters = [
    ...clause.occurrences.filter(
      (one) =>
        one !== occurrence &&
        !(isBare(one) && isTotal(clause, one)) &&
        !isComputedAmount(one) &&
        !(one.equal.length > 0 && !one.equal.some(isOf) && one.equal.every((leaf) => isAround(leaf, list))),
    ),
    ...flags.map((flag) => ({ ...flag, equal: flag.equal.filter(isOf) })),
  ];
  if (!filters.every(({ equal, stated: { type } }) => type === 'flag' || equal.some(isOf))) return null;
  const ofElement = ({ equal }: Occurrence, element: string): boolean =>
    equal.some(({ records }) => records.includes(element));
  const elementsOf = (one: Occurrence): readonly string[] => list.elements.filter((element) => ofElement(one, element));
  const named = filters.filter((filter) => filter.stated.type !== 'flag' && elementsOf(filter).length === 1);
  const enumerated = new Set(named.flatMap(elementsOf));
  const isNaming = enumerated.size > 1;
  const shared = isNaming ? filters.filter((filter) => !named.includes(filter)) : filters;
  const holding = list.elements.filter((element) => shared.every((filter) => ofElement(filter, element)));
  if (isNaming && ![...enumerated].every((element) => holding.includes(element))) return null;
  if (isCount(holding.length) && (!isNaming || enumerated.size === holding.length))
    return derived(list, isNaming ? shared : filters, nouns, isOf);
  const isSure = occurrence.equal.length === 0 && !isNaming && !clause.isNegative;
  if (!isSure || isCount(list.elements.length) || filters.some(({ stated: { type } }) => type !== 'text')) return null;
  return { refused: `the facts list ${holding.length}, not ${String((stated.amounts[0] ?? 0n) / SCALE)}`, list };
}

const derived = (
  list: ListNode,
  of: readonly Occurrence[],
  nouns: readonly string[],
  isOf: (leaf: Leaf) => boolean = () => true,
): DerivedNumber => ({
  leaves: of.flatMap(({ equal }) => equal.filter(isOf)),
  lists: [list],
  used: new Set([...nouns, ...list.own, ...of.flatMap(({ used }) => [...used])]),
});

/** "of the three": the number counts the whole list. */
const isTotal = ({ tokens }: Clause, { from }: Occurrence): boolean =>
  tokens.slice(Math.max(0, from - 2), from).some(({ text }) => text === 'of');

/** The stems behind the number that name the elements of a list. */
const elementNouns = (
  clause: Clause,
  { to }: Occurrence,
  { elements: [first = ''], own }: ListNode,
  leaves: readonly Leaf[],
): readonly string[] => {
  const keys = leaves
    .filter(({ records, kind }) => kind === 'text' && records.at(-1) === first)
    .flatMap((leaf) => [...leaf.own]);
  const isNoun = (word: string): boolean => [...own, ...keys].some((one) => isSynonym(one, word));
  return clause.words
    .filter(({ at, text, stem }) => at >= to && at < to + 5 && !/ed$/u.test(text) && isNoun(stem))
    .map(({ stem }) => stem);
};

/** The list whose noun stands behind the number: the key of the list, or a key that names its elements. */
function countedList(clause: Clause, occurrence: Occurrence, { lists, leaves }: FactIndex): ListNode | undefined {
  const next = clause.occurrences.find((one) => one.from >= occurrence.to && isBare(one) && !isTotal(clause, one));
  const end = Math.min(occurrence.to + 5, next?.from ?? occurrence.to + 5);
  const after = clause.words.filter(({ at }) => at >= occurrence.to && at < end);
  const stems = after.filter(({ text }) => !/ed$/u.test(text)).map(({ stem }) => stem);
  const isNamed = (own: Iterable<string>): boolean =>
    [...own].some((word) => stems.some((one) => isSynonym(one, word)));
  const visible = lists.filter(({ hidden }) => !hidden);
  return (
    visible.find(({ own }) => [...own].some((word) => stems.includes(word))) ??
    visible.find(({ own }) => isNamed(own)) ??
    visible.find(({ elements: [first = ''] }) =>
      leaves.some(({ records, kind, own }) => kind === 'text' && records.at(-1) === first && isNamed(own)),
    )
  );
}
