import { absolute, isNear, SCALE } from './amounts.ts';
import { isSameDay } from './dates.ts';
import { inCommonUnit, type Leaf, type NumberLeaf, textWords } from './facts.ts';
import type { Stated, StatedNumber } from './tokens.ts';

/** How a sentence qualifies a number: exactly, about, over, under. */
export type Qualifier = 'exact' | 'about' | 'over' | 'under';

/**
 * How a stated value relates to a leaf: `equal`; `unit` for the same digits in another unit or currency; `open` for the
 * same digits where the fact does not say the unit; `different`.
 */
export type Match = 'equal' | 'unit' | 'open' | 'different';

export function matchValue(stated: Stated, leaf: Leaf, qualifier: Qualifier = 'exact'): Match {
  switch (stated.type) {
    case 'number':
      return leaf.number === null ? matchYear(stated, leaf) : matchNumber(stated, leaf.number, leaf, qualifier);
    case 'day':
      return leaf.moment?.day != null && stated.day !== 'ambiguous' && isSameDay(stated.day, leaf.moment.day)
        ? 'equal'
        : 'different';
    case 'time':
      return leaf.moment?.minutes === stated.minutes ? 'equal' : 'different';
    case 'id':
      return isSameText(stated.id, leaf.value) ? 'equal' : 'different';
    case 'link':
      return typeof leaf.value === 'string' && leaf.value.toLowerCase() === stated.link.toLowerCase()
        ? 'equal'
        : 'different';
  }
}

function isSameText(id: string, value: Leaf['value']): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const bare = id.replace(/^#\s?/u, '').toLowerCase();
  const text = String(value).toLowerCase();
  return text === id.toLowerCase() || text === bare || textWords(text).join(' ') === textWords(bare).join(' ');
}

/** "in 2026" states the year of a date. */
function matchYear({ amounts, currency, unit, isWord }: StatedNumber, { moment, value, kind }: Leaf): Match {
  if (currency !== null || unit !== null || isWord) return 'different';
  const [amount] = amounts;
  if (moment?.day != null && amount === BigInt(moment.day.year ?? 0) * SCALE) return 'equal';
  return kind === 'text' &&
    amount !== undefined &&
    /^\d+$/u.test(String(value)) &&
    BigInt(String(value)) * SCALE === amount
    ? 'equal'
    : 'different';
}

function matchNumber(stated: StatedNumber, fact: NumberLeaf, leaf: Leaf, qualifier: Qualifier): Match {
  const isAmount = (amount: bigint): boolean =>
    stated.amounts.some((one) => compare(stated.minor ? one / 100n : one, amount, qualifier));
  if (stated.currency !== null || stated.minor) {
    if (!isAmount(fact.amount)) return fact.minor && isAmount(fact.amount * 100n) ? 'unit' : 'different';
    if (fact.currencies === null) return 'open';
    if (stated.currency === null || fact.currencies.includes(stated.currency)) return 'equal';
    return fact.isGuess ? 'open' : 'unit';
  }
  if (stated.unit !== null) return matchUnit(stated, stated.unit, fact, leaf, qualifier);
  if (!isAmount(fact.amount)) return fact.minor && isAmount(fact.amount * 100n) ? 'unit' : 'different';
  return fact.unit === null || leaf.own.has(fact.unit) ? 'equal' : 'open';
}

function matchUnit(stated: StatedNumber, unit: string, fact: NumberLeaf, leaf: Leaf, qualifier: Qualifier): Match {
  const isShare = unit === '%' || unit === 'percent' || unit === 'pct';
  if (isShare && /pct|percent|rate|ratio|share|fraction|discount|probability|utili[sz]ation/iu.test(leaf.key)) {
    const isSame = stated.amounts.some((one) => compare(one, fact.amount, qualifier));
    const isFraction = absolute(fact.amount) <= SCALE;
    const part = isFraction && stated.amounts.some((one) => compare(one, fact.amount * 100n, qualifier));
    if (/pct|percent/iu.test(leaf.key) ? isSame : part || (!isFraction && isSame)) return 'equal';
    return 'different';
  }
  if (fact.unit === null)
    return stated.amounts.some((one) => compare(one, fact.amount, qualifier)) ? 'open' : 'different';
  const isEqual = stated.amounts.some((one) => {
    const pair = inCommonUnit(one, unit, fact.amount, fact.unit ?? unit);
    return pair !== null && compare(pair[0], pair[1], qualifier);
  });
  if (isEqual) return 'equal';
  return stated.amounts.some((one) => one === fact.amount) ? 'unit' : 'different';
}

/** A sentence may state a negative amount without its sign, as in "you owe 4", but never a positive one with it. */
function compare(stated: bigint, fact: bigint, qualifier: Qualifier): boolean {
  if (stated < 0n && fact >= 0n) return false;
  const [a, b] = [absolute(stated), absolute(fact)];
  switch (qualifier) {
    case 'exact':
      return a === b;
    case 'about':
      return a === b || isNear(a, b);
    case 'over':
      return b > a;
    case 'under':
      return b < a;
  }
}
