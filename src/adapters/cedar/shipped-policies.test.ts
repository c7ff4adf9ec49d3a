/** Tests that the shipped policies permit a call that is known to be right and forbid one they cannot judge. */
import { describe, expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { CallRequest } from '../../model/policy/policy-request.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfileName } from '../../model/policy/risk.ts';
import { cedarAuthorizer } from './cedar-authorizer.ts';
import { shippedPolicies } from './read-policies.ts';

const engine = cedarAuthorizer(shippedPolicies());

function determining(profile: RiskProfileName, action: string, context: Partial<CallRequest['context']>): unknown {
  const resource = { action, blast_radius: 'one service' };
  const { effect, determining } = engine.decide(callRequest({ resource, context: { profile, ...context } }));
  return effect === 'permit' ? 'permit' : determining;
}

type Evidence = Readonly<Record<string, JsonObject>>;

describe('a procurement amount', () => {
  const LIMIT: Evidence = { budget: { limit: 100 } };
  const order = (args: JsonObject, evidence: Evidence = LIMIT, action = 'purchase_order'): unknown =>
    determining('procurement', action, { arguments: { approval_chain: ['cfo'], ...args }, evidence });

  test.each([
    ['within the limit', { amount: 99.99 }, LIMIT],
    ['at the limit', { amount: 100 }, LIMIT],
  ])('%s needs only an approval', (_what, args, evidence) => {
    expect(order(args, evidence)).toBe('permit');
  });

  const OVER = 'procurement.budget_breach.over_the_limit';
  const NO_AMOUNT = 'procurement.budget_breach.amount_unknown';
  const NO_LIMIT = 'procurement.budget_breach.limit_unknown';
  test.each<[string, JsonObject, Evidence, readonly string[]]>([
    ['above the limit', { amount: 100.01 }, LIMIT, [OVER]],
    ['under a limit of five decimals', { amount: 5 }, { budget: { limit: 100.12345 } }, [NO_LIMIT, OVER]],
    ['under a limit as text', { amount: 5 }, { budget: { limit: '100' } }, [NO_LIMIT, OVER]],
    ['under a limit of null', { amount: 5 }, { budget: { limit: null } }, [NO_LIMIT, OVER]],
    ['under no limit', { amount: 5 }, {}, [NO_LIMIT]],
    ['under a budget without a limit', { amount: 5 }, { budget: { currency: 'EUR' } }, [NO_LIMIT]],
    ['as text', { amount: '5' }, LIMIT, [NO_AMOUNT, OVER]],
    ['as a list', { amount: [5] }, LIMIT, [NO_AMOUNT, OVER]],
    ['as an object', { amount: { value: 5 } }, LIMIT, [NO_AMOUNT, OVER]],
    ['as null', { amount: null }, LIMIT, [NO_AMOUNT, OVER]],
    ['of five decimals', { amount: 5.00001 }, LIMIT, [NO_AMOUNT, OVER]],
    ['too large to compare', { amount: 1e300 }, LIMIT, [NO_AMOUNT, OVER]],
    ['in another argument', { order: { amount: 5 } }, LIMIT, [NO_AMOUNT]],
    ['left out', {}, LIMIT, [NO_AMOUNT]],
  ])('%s is forbidden', (_what, args, evidence, policies) => {
    expect(order(args, evidence)).toEqual(policies);
    for (const action of ['invoice_release', 'payment']) expect(order(args, evidence, action)).toEqual(policies);
  });

  test('is checked later if an earlier step will supply it', () => {
    const later = { arguments: { approval_chain: ['cfo'] }, pending: ['/amount'], expected: ['budget'] };
    expect(determining('procurement', 'purchase_order', later)).toBe('permit');
  });

  test('is not needed for a contract change, but must be readable if present', () => {
    expect(order({}, {}, 'contract_change')).toBe('permit');
    expect(order({ amount: '5' }, {}, 'contract_change')).toEqual([NO_AMOUNT]);
  });
});

test.each([
  [undefined],
  [[]],
  [['']],
  [['cfo', ' ']],
  [['\u200b']],
  [['cfo', 1]],
  [[1]],
  ['cfo'],
  [{ 0: 'cfo' }],
  [null],
])('an approval chain of %j counts as missing', (chain) => {
  const args = { amount: 5, ...(chain === undefined ? {} : { approval_chain: chain }) };
  for (const action of RISK_PROFILES.procurement.needs_approval) {
    const context = { arguments: args, evidence: { budget: { limit: 100 } } };
    expect(determining('procurement', action, context)).toEqual(['procurement.missing_approval_chain.no_chain']);
  }
});

describe('the account holder', () => {
  const refund = (args: JsonObject, evidence: Evidence = {}): unknown =>
    determining('customer_support', 'refund', { arguments: args, evidence });

  test('is known from the arguments or from evidence', () => {
    expect(refund({ account_holder: 'ann' })).toBe('permit');
    expect(refund({}, { account: { holder: 'ann' } })).toBe('permit');
  });

  test.each([['other'], [['ann']], [['other']], [{ name: 'ann' }], [5], [true], [null], ['ANN'], ['']])(
    '%j is not the user of the run, in any call',
    (holder) => {
      const [argument, account] = ['argument_of_another', 'account_of_another'].map(
        (name) => `customer_support.identity_mismatch.${name}`,
      );
      for (const action of ['refund', 'draft_reply']) {
        const named = { arguments: { account_holder: holder } };
        expect(determining('customer_support', action, named)).toEqual([argument]);
        const found = { evidence: { account: { holder } } };
        expect(determining('customer_support', action, found)).toEqual([account]);
      }
    },
  );

  test('must be known before the account is changed, but not for a message', () => {
    const unknown = ['customer_support.identity_mismatch.holder_unknown'];
    for (const action of ['refund', 'cancellation', 'account_change']) {
      expect(determining('customer_support', action, {})).toEqual(unknown);
      expect(determining('customer_support', action, { evidence: { account: { balance: 3 } } })).toEqual(unknown);
      expect(determining('customer_support', action, { expected: ['account'] })).toBe('permit');
      expect(determining('customer_support', action, { pending: ['/account_holder'] })).toBe('permit');
    }
    expect(determining('customer_support', 'send_communication', {})).toBe('permit');
  });
});

test.each([[false], ['true'], ['false'], [1], [null], [['true']]])(
  'a test report with passed: %j does not count as green',
  (passed) => {
    for (const action of ['read_file', 'push']) {
      expect(determining('coding', action, { evidence: { test_report: { passed } } })).toEqual([
        'coding.tests_failing_after_mutation.tests_are_red',
      ]);
    }
    expect(determining('coding', 'push', { evidence: { test_report: { passed: true } } })).toBe('permit');
  },
);

describe.each(RISK_PROFILE_NAMES)('a condition of %s', (profile) => {
  const { free, fails_closed } = RISK_PROFILES[profile];
  test.each(fails_closed)('%s is ruled out only by an explicit false', (condition) => {
    const [action = ''] = free;
    const found = (value: JsonObject[string]): unknown =>
      determining(profile, action, { evidence: { report: { [condition]: value } } });
    expect(found(false)).toBe('permit');
    expect(found(true)).toEqual([`${profile}.fails_closed`]);
    for (const value of ['yes', 'true', 1, 0, null, ['a']])
      expect(found(value)).toEqual([`${profile}.condition_unclear`]);
  });
});
