import { plannedStep, type ScriptedAnswer, sentence } from '../../scripted-answer.ts';
import { ACCOUNT, APRIL, ORDERS } from './ledger.ts';
import { QUESTION, refundRequest } from './request.ts';

/** The plan that the scripted model writes for the question. If no model answers, the inputs of `respond` are stated. */
export const QUESTION_PLAN: { readonly steps: readonly object[] } = {
  steps: [
    plannedStep('s1', 'adp_accounts.lookup', { customer_id: ACCOUNT.customer_id }, { key: 'account' }),
    plannedStep(
      's2',
      'adp_payments.list',
      { customer_id: ACCOUNT.customer_id, month: APRIL.month },
      { key: 'payments' },
    ),
    plannedStep('s3', 'respond', { objective: 'name the plan and the payments' }, { inputs: ['account', 'payments'] }),
  ],
};

/** The answer to the question. Its first draft has one changed number, which the rewrite corrects. */
export const QUESTION_ANSWER: ScriptedAnswer = {
  id: 'demo-question',
  request: QUESTION,
  facts: [
    { ref: 'ev_1', tool: 'adp_accounts.lookup', value: ACCOUNT },
    { ref: 'ev_2', tool: 'adp_payments.list', value: APRIL, complete: ['/payments'] },
  ],
  drafts: [
    [
      sentence('You are on the Pro plan.', 'ev_1', '/plan'),
      { ...sentence('You paid €69.10 in April 2026.', 'ev_2', '/total_cents', '/month'), wrong: true },
      sentence('You made two payments in April 2026.', 'ev_2', '/payments'),
    ],
    [sentence('You paid €61.90 in April 2026.', 'ev_2', '/total_cents', '/month')],
  ],
};

/** The answer to the refund, written when the payment is certain. */
export const REFUND_ANSWER: ScriptedAnswer = {
  id: 'demo-refund',
  request: refundRequest.goal.statement,
  facts: [
    { ref: 'ev_1', tool: 'adp_orders.lookup', value: ORDERS[0] ?? {} },
    {
      ref: 'ev_2',
      tool: 'adp_policy.eval',
      value: { allowed: true, amount_cents: 4200, rule: 'damaged goods are refunded in full' },
    },
    {
      ref: 'ev_3',
      tool: 'adp_payments.issue_refund',
      value: { refund_id: 'rf_1', order_id: 'ord_881', amount_cents: 4200, currency: 'EUR', status: 'refunded' },
    },
  ],
  drafts: [
    [
      sentence('I have refunded €42.00 for order ord_881.', 'ev_3', '/status', '/amount_cents', '/order_id'),
      sentence('Your refund number is rf_1.', 'ev_3', '/refund_id'),
      sentence('The policy says that damaged goods are refunded in full.', 'ev_2', '/rule'),
    ],
  ],
};
