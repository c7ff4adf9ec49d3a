import { isSynonym, type Leaf } from './facts.ts';
import type { Clause, Occurrence } from './occurrence.ts';
import type { Token } from './tokens.ts';
import {
  AHEAD,
  BEGINNINGS,
  CHANGES,
  DATE_ENDS,
  DATE_ROLES,
  DATE_STARTS,
  DAY_ROLES,
  ENDINGS,
  FALLING,
  FALLS,
  FLOORS,
  HEDGES,
  MONEY_ROLES,
  NEW,
  PAST,
  PAYEES,
  PAYING,
  PREVIOUS,
  PRINCIPALS,
  RISING,
  ROLES,
  SOURCES,
  TARGETS,
} from './words/field-words.ts';

/** "from Oslo to Rome": the preposition before a value names its role. */
export function roleScore(clause: Clause, occurrence: Occurrence, leaf: Leaf): number {
  const before = clause.tokens[occurrence.from - 1];
  if (before?.kind !== 'word' || occurrence.stated.type === 'number') return 0;
  const role = (leaf.kind === 'moment' ? DATE_ROLES : ROLES).get(before.text);
  const hasRole = (word: string): boolean =>
    role?.has(word) === true || [...(role ?? [])].some((one) => one.length > 3 && word.startsWith(one));
  return role !== undefined && [...leaf.own, ...leaf.path].some(hasRole) ? 3 : 0;
}

/**
 * Whether the words around a value deny its field: "until 1 June" is no beginning, "from 1 June" no end, and "from Oslo" no
 * destination.
 */
export function isContrary({ tokens }: Clause, { from, to }: Occurrence, leaf: Leaf): boolean {
  const before = tokens[from - 1]?.text ?? '';
  const stems = [...leaf.full, ...leaf.path];
  const has = (words: ReadonlySet<string>): boolean => stems.some((word) => words.has(word));
  const isPrevious = has(PREVIOUS);
  if (before === 'to' ? isPrevious : before === 'from' && has(NEW) && !isPrevious) return true;
  if (leaf.kind === 'number') {
    if (isOpposite(tokens, leaf, has)) return true;
    const isChange = /^(?:up|down|rose|fell|increased|reduced|raised|lowered|grew|dropped)$/u.test(
      tokens[from - 2]?.text ?? '',
    );
    const isRange = isChange || tokens.slice(to).some(({ text }) => /^(?:to|until|and)$/u.test(text));
    return /^(?:until|since)$/u.test(before) || (before === 'from' && !isRange && !isPrevious && !has(FLOORS));
  }
  if (leaf.kind === 'moment') {
    if (/^(?:until|till|through)$/u.test(before)) return !has(DATE_ENDS) || (has(BEGINNINGS) && !has(ENDINGS));
    if (/^(?:since|from)$/u.test(before))
      return (has(DATE_ENDS) && !has(DATE_STARTS)) || (has(ENDINGS) && !has(BEGINNINGS));
    return before === 'to' && has(DATE_STARTS) && !has(DATE_ENDS);
  }
  if (leaf.kind !== 'text') return false;
  if (/^(?:until|since)$/u.test(before)) return true;
  const [isSource, isTarget] = [has(SOURCES), has(TARGETS)];
  if (isSource === isTarget) return isTransferred(tokens, from, before, stems);
  const after = tokens[to]?.text ?? '';
  if (/^(?:to|into|for)$/u.test(before)) return isSource;
  if (/^(?:from|by)$/u.test(before)) return isTarget;
  return from < 2 && (isTarget ? GIVING.test(after) : TAKING.test(after));
}

/** "Sales rose by 7 %" about a change of -7: the words around a change must have its direction. */
function isOpposite(tokens: readonly Token[], { number }: Leaf, has: (words: ReadonlySet<string>) => boolean): boolean {
  if (number === null) return false;
  const isNegative = number.amount < 0n;
  const isFall = has(FALLS) ? !isNegative : isNegative;
  if (!isFall && !has(FALLS) && !has(CHANGES)) return false;
  return tokens.some(({ text }) => (isFall ? RISING : FALLING).has(text));
}

const GIVING =
  /^(?:sent|sends|send|paid|pays|wrote|writes|gave|gives|sold|sells|mailed|emailed|transferred|shipped|issued|donated)$/u;
const TAKING = /^(?:received|receives|got|gets|bought|buys|accepted|collected)$/u;

/** "the payment from Nordic Cycles": money goes to a merchant and comes from a customer. */
function isTransferred(tokens: readonly Token[], at: number, before: string, stems: readonly string[]): boolean {
  const noun = tokens[at - 2]?.text ?? '';
  if (
    !/^(?:payment|payments|transfer|transfers|deposit|remittance|donation|gift|contribution|instal?ment|paid|charge)$/u.test(
      noun,
    )
  )
    return false;
  const isPayee = stems.some((word) => PAYEES.has(word));
  return (before === 'from' && isPayee) || (before === 'to' && stems.some((word) => PRINCIPALS.has(word)));
}

const PERSON = /^(?:you|they|he|she)$/u;

/**
 * A sum or a day whose role the sentence does not name. "It costs €49.90." does not follow from a discount of that
 * size, although no other sum is cited.
 */
export function roleGap(
  { naming, words }: Clause,
  bindings: readonly { readonly leaf: Leaf }[],
  request: { readonly stems: ReadonlySet<string> },
): { readonly reason: string } | null {
  const mentioned = [...naming.map(({ stem }) => stem), ...request.stems].filter((stem) => !PAYING.has(stem));
  const isDone = words.some(({ text }, place) => /.{3}ed$/u.test(text) && PERSON.test(words[place - 1]?.text ?? ''));
  const isPast = (isDone || words.some(({ text }) => PAST.has(text))) && !words.some(({ stem }) => AHEAD.has(stem));
  for (const { leaf } of bindings) {
    if (leaf.kind === 'moment' && isPast && [...leaf.own].some((word) => AHEAD.has(word)))
      return { reason: `${leaf.pointer} is ahead, and the sentence speaks of the past` };
    const roles = leaf.kind === 'moment' ? DAY_ROLES : leaf.number?.currencies == null ? null : MONEY_ROLES;
    const isSpecial = roles !== null && [...leaf.own].some((word) => roles.has(word));
    if (!isSpecial || [...leaf.own].some((word) => mentioned.some((other) => isSynonym(word, other)))) continue;
    return { reason: `the sentence does not name the field ${leaf.pointer}` };
  }
  return null;
}

/** A word that leaves open whether the clause is so: no fact proves "Your plan might be Pro.". */
export function hedgeGap({ tokens }: Clause): { readonly reason: string } | null {
  const hedge = tokens.find(({ kind, text }) => kind === 'word' && HEDGES.has(text));
  return hedge === undefined ? null : { reason: `the sentence leaves open whether it is so: "${hedge.text}"` };
}
