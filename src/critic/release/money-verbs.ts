import type { FactIndex, Leaf } from './facts.ts';
import { isPrefix } from './fields.ts';
import { excludedBy } from './flags.ts';
import { MONEY_STEMS } from './words/field-words.ts';

/** A sum is paid only if it is negative, or its record or tool is about a payment, and owed only if its name says so. */
export function isMoneyVerb(text: string, leaf: Leaf, { leaves, toolWords }: FactIndex): boolean {
  const names = [...leaf.own, ...leaf.path];
  if (/^owes?$/u.test(text)) return names.some((word) => MONEY_STEMS.owed.has(word));
  if (names.some((word) => MONEY_STEMS.notPaid.has(word))) return false;
  const isPaid = /^(?:paid|spent)$/u.test(text);
  const isClaimed = isPaid || /^(?:charged|billed|invoiced)$/u.test(text);
  if (!isClaimed || (leaf.number?.amount ?? 0n) < 0n) return true;
  const around = leaves.filter(({ records }) => isPrefix(records, leaf.records));
  if (around.some((one) => excludedBy(one).has(text))) return false;
  const set = around.filter(({ kind, value }) => kind !== 'empty' && value !== false);
  const stated = isPaid ? MONEY_STEMS.payment : MONEY_STEMS.bill;
  return [...names, ...set.flatMap(({ own }) => [...own]), ...toolWords].some((word) => stated.has(word));
}
