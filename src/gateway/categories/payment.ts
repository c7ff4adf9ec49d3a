import { type JsonObject, own } from '../../model/json/json.ts';
import { jsonAt } from '../../model/json/json-at.ts';
import { isFree, textAt } from '../../model/tool/rules/operation.ts';
import type { PaymentRules } from '../../model/tool/rules/payment.ts';
import { categoryLeaves, isCovered, plainName } from './category-leaves.ts';
import {
  type CategoryCheck,
  type CategoryFinding,
  denied,
  FREE,
  firstFinding,
  gated,
  incomplete,
  refuseUnlessAllowed,
} from './finding.ts';

/** Permits comparing and preparing. A payment needs approval, after all of its arguments have been checked. */
export const paymentCheck: CategoryCheck<PaymentRules> = (rules, { args }) => {
  if (isFree(rules.operation, args)) return FREE;
  const against = firstFinding(
    () => badAmount(rules, args),
    () => refuseUnlessAllowed('currency', rules.currency, args),
    () => refuseUnlessAllowed('vendor', rules.vendor, args),
    () => refuseUnlessAllowed('chain', rules.chain, args),
    () => refuseUnlessAllowed('terms', rules.terms, args),
    () => beyondBudget(rules, args),
    () => uncoveredMoney(rules, args),
  );
  if (against !== null) return against;
  return gated('it pays', {
    amount: jsonAt(args, rules.amount.at) ?? null,
    currency: textAt(args, rules.currency.at),
    vendor: textAt(args, rules.vendor.at),
    terms: textAt(args, rules.terms.at),
  });
};

/** A plain decimal number, so that the amount shown is the amount paid and no other program rounds it. */
const WRITTEN_OUT = /^\d+(?:\.\d{1,8})?$/;

function badAmount({ amount, currency }: PaymentRules, args: JsonObject): CategoryFinding | null {
  const asked = jsonAt(args, amount.at);
  // Beyond the safe integers two different amounts can be the same number.
  if (typeof asked !== 'number' || !(asked > 0 && asked <= Number.MAX_SAFE_INTEGER)) {
    return incomplete(`there is no amount at ${amount.at}`);
  }
  if (!WRITTEN_OUT.test(String(asked))) return incomplete(`${asked} at ${amount.at} has more than eight decimals`);
  const most = typeof amount.max === 'number' ? amount.max : (own(amount.max, textAt(args, currency.at) ?? '') ?? 0);
  return asked <= most ? null : denied(`${asked} is more than the ${most} that one call may move`);
}

function beyondBudget({ amount, budget }: PaymentRules, args: JsonObject): CategoryFinding | null {
  const [asked, left] = [jsonAt(args, amount.at), jsonAt(args, budget)];
  if (typeof left !== 'number' || !Number.isFinite(left)) return incomplete(`the call names no budget at ${budget}`);
  return Number(asked) <= left ? null : denied(`${asked} does not fit the budget, of which ${left} is left`);
}

/** Refuses money that the rules do not cover: a second amount, or a line item with its own vendor. */
function uncoveredMoney({ amount, currency, vendor, budget }: PaymentRules, args: JsonObject): CategoryFinding | null {
  const covered = [amount.at, currency.at, vendor.at, budget];
  const [money, ...parties] = [amount.at, currency.at, vendor.at].map((pointer) =>
    plainName(pointer.slice(pointer.lastIndexOf('/') + 1)),
  );
  const uncovered = categoryLeaves(args).find(({ pointer, name, value }) => {
    if (isCovered(pointer, covered)) return false;
    const isSum = typeof value === 'number' || /^\s*[-+]?[\d.,]*\d/.test(value);
    return parties.includes(name) || (isSum && money !== undefined && money !== '' && name.includes(money));
  });
  return uncovered === undefined
    ? null
    : denied(`${uncovered.pointer} is money or a party that the rules do not look at`);
}
