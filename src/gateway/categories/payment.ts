import type { JsonObject } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import { isFree, textAt } from '../../model/rules/operation.ts';
import type { PaymentRules } from '../../model/rules/payment.ts';
import { type CategoryCheck, denied, type Finding, FREE, firstOf, gated, incomplete, outside } from './finding.ts';

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
  );
  if (against !== null) return against;
  return gated('it pays', {
    amount: jsonAt(args, rules.amount.at) ?? null,
    currency: textAt(args, rules.currency.at),
    vendor: textAt(args, rules.vendor.at),
    terms: textAt(args, rules.terms.at),
  });
};

function badAmount({ amount }: PaymentRules, args: JsonObject): Finding | null {
  const asked = jsonAt(args, amount.at);
  // Beyond the safe integers two amounts are one number.
  if (typeof asked !== 'number' || !(asked > 0 && asked <= Number.MAX_SAFE_INTEGER)) {
    return incomplete(`there is no amount at ${amount.at}`);
  }
  return asked <= amount.max ? null : denied(`${asked} is more than the ${amount.max} that one call may move`);
}

function beyondBudget({ amount, budget }: PaymentRules, args: JsonObject): Finding | null {
  const [asked, left] = [jsonAt(args, amount.at), jsonAt(args, budget)];
  if (typeof left !== 'number' || !Number.isFinite(left)) return incomplete(`the call names no budget at ${budget}`);
  return Number(asked) <= left ? null : denied(`${asked} does not fit the budget, of which ${left} is left`);
}
