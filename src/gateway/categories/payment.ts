import type { JsonObject } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import { own } from '../../model/own.ts';
import { isFree, textAt } from '../../model/rules/operation.ts';
import type { PaymentRules } from '../../model/rules/payment.ts';
import { type CategoryCheck, denied, type Finding, FREE, firstOf, gated, incomplete, outside } from './finding.ts';
import { isCovered, leavesOf, plainName } from './leaves.ts';

/** Comparing and preparing are free. Paying is for a person to see, after everything about it has been found right. */
export const paymentCheck: CategoryCheck<PaymentRules> = (rules, { args }) => {
  if (isFree(rules.operation, args)) return FREE;
  const against = firstOf(
    () => badAmount(rules, args),
    () => outside('currency', rules.currency, args),
    () => outside('vendor', rules.vendor, args),
    () => outside('chain', rules.chain, args),
    () => outside('terms', rules.terms, args),
    () => beyondBudget(rules, args),
    () => beside(rules, args),
  );
  if (against !== null) return against;
  return gated('it pays', {
    amount: jsonAt(args, rules.amount.at) ?? null,
    currency: textAt(args, rules.currency.at),
    vendor: textAt(args, rules.vendor.at),
    terms: textAt(args, rules.terms.at),
  });
};

/** What a person reads is what is paid: nothing that another program would round. */
const WRITTEN_OUT = /^\d+(?:\.\d{1,8})?$/;

function badAmount({ amount, currency }: PaymentRules, args: JsonObject): Finding | null {
  const asked = jsonAt(args, amount.at);
  // Beyond the safe integers two amounts are one number.
  if (typeof asked !== 'number' || !(asked > 0 && asked <= Number.MAX_SAFE_INTEGER)) {
    return incomplete(`there is no amount at ${amount.at}`);
  }
  if (!WRITTEN_OUT.test(String(asked))) return incomplete(`${asked} at ${amount.at} has more than eight decimals`);
  const most = typeof amount.max === 'number' ? amount.max : (own(amount.max, textAt(args, currency.at) ?? '') ?? 0);
  return asked <= most ? null : denied(`${asked} is more than the ${most} that one call may move`);
}

function beyondBudget({ amount, budget }: PaymentRules, args: JsonObject): Finding | null {
  const [asked, left] = [jsonAt(args, amount.at), jsonAt(args, budget)];
  if (typeof left !== 'number' || !Number.isFinite(left)) return incomplete(`the call names no budget at ${budget}`);
  return Number(asked) <= left ? null : denied(`${asked} does not fit the budget, of which ${left} is left`);
}

/** Money that the rules do not look at is paid all the same: a second amount, or a line with a vendor of its own. */
function beside({ amount, currency, vendor, budget }: PaymentRules, args: JsonObject): Finding | null {
  const looked = [amount.at, currency.at, vendor.at, budget];
  const [money, ...parties] = [amount.at, currency.at, vendor.at].map((pointer) =>
    plainName(pointer.slice(pointer.lastIndexOf('/') + 1)),
  );
  const unseen = leavesOf(args).find(({ pointer, name, value }) => {
    if (isCovered(pointer, looked)) return false;
    const isSum = typeof value === 'number' || /^\s*[-+]?[\d.,]*\d/.test(value);
    return parties.includes(name) || (isSum && money !== undefined && money !== '' && name.includes(money));
  });
  return unseen === undefined ? null : denied(`${unseen.pointer} is money or a party that the rules do not look at`);
}
