/** Proves that the shipped policies let through what is known to be right, and not what they cannot tell. */
import { describe, expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CallRequest } from '../../model/policy-request.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfileName } from '../../model/risk-profile.ts';
import { cedarAuthorizer } from './cedar-authorizer.ts';
import { shippedPolicies } from './policy-files.ts';

const engine = cedarAuthorizer(shippedPolicies());

function determining(profile: RiskProfileName, action: string, context: Partial<CallRequest['context']>): unknown {
  const resource = { action, blast_radius: 'one service' };
  const { effect, determining } = engine.decide(callRequest({ resource, context: { profile, ...context } }));
  return effect === 'permit' ? 'permit' : determining;
}

type Evidence = Readonly<Record<string, JsonObject>>;

describe('what procurement spends', () => {
  const LIMIT: Evidence = { budget: { limit: 100 } };
  const order = (args: JsonObject, evidence: Evidence = LIMIT, action = 'purchase_order'): unknown =>
    determining('procurement', action, { arguments: { approval_chain: ['cfo'], ...args }, evidence });

  test.each([
    ['within the limit', { amount: 99.99 }, LIMIT],
    ['at the limit', { amount: 100 }, LIMIT],
  ])('%s waits for a person only', (_what, args, evidence) => {
    expect(order(args, evidence)).toBe('permit');
  });

  const OVER = 'procurement.budget_breach.over_the_limit';
  const NO_AMOUNT = 'procurement.budget_breach.amount_unknown';
  const NO_LIMIT = 'procurement.budget_breach.limit_unknown';
  test.each<[string, JsonObject, Evidence, readonly string[]]>([
    ['above the limit', { amount: 100.01 }, LIMIT, [OVER]],
    ['under a limit of five decimals', { amount: 5 }, { budget: { limit: 100.12345 } }, [NO_LIMIT, OVER]],
    ['under a limit as text', { amount: 5 }, { budget: { limit: '100' } }, [NO_LIMIT, OVER]],
    ['under a limit that is no single value', { amount: 5 }, { budget: { limit: null } }, [NO_LIMIT, OVER]],
    ['under no limit', { amount: 5 }, {}, [NO_LIMIT]],
    ['under a budget without a limit', { amount: 5 }, { budget: { currency: 'EUR' } }, [NO_LIMIT]],
    ['as text', { amount: '5' }, LIMIT, [NO_AMOUNT, OVER]],
    ['as a list', { amount: [5] }, LIMIT, [NO_AMOUNT, OVER]],
    ['as an object', { amount: { value: 5 } }, LIMIT, [NO_AMOUNT, OVER]],
    ['as null', { amount: null }, LIMIT, [NO_AMOUNT, OVER]],
    ['of five decimals', { amount: 5.00001 }, LIMIT, [NO_AMOUNT, OVER]],
    ['beyond every number', { amount: 1e300 }, LIMIT, [NO_AMOUNT, OVER]],
    ['somewhere else', { order: { amount: 5 } }, LIMIT, [NO_AMOUNT]],
    ['and does not say', {}, LIMIT, [NO_AMOUNT]],
  ])('%s is refused', (_what, args, evidence, policies) => {
    expect(order(args, evidence)).toEqual(policies);
    for (const action of ['invoice_release', 'payment']) expect(order(args, evidence, action)).toEqual(policies);
  });

  test('is for later where an earlier step is to find out', () => {
    const later = { arguments: { approval_chain: ['cfo'] }, pending: ['/amount'], expected: ['budget'] };
    expect(determining('procurement', 'purchase_order', later)).toBe('permit');
  });

  test('is nothing where only a contract changes, unless an amount is named that cannot be read', () => {
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
])('a chain of approval that is %j is none', (chain) => {
  const args = { amount: 5, ...(chain === undefined ? {} : { approval_chain: chain }) };
  for (const action of RISK_PROFILES.procurement.needs_approval) {
    const context = { arguments: args, evidence: { budget: { limit: 100 } } };
    expect(determining('procurement', action, context)).toEqual(['procurement.missing_approval_chain.no_chain']);
  }
});

describe('whose account it is', () => {
  const refund = (args: JsonObject, evidence: Evidence = {}): unknown =>
    determining('customer_support', 'refund', { arguments: args, evidence });

  test('is known from the call or from what was looked up', () => {
    expect(refund({ account_holder: 'ann' })).toBe('permit');
    expect(refund({}, { account: { holder: 'ann' } })).toBe('permit');
  });

  test.each([['other'], [['ann']], [['other']], [{ name: 'ann' }], [5], [true], [null], ['ANN'], ['']])(
    '%j is not the one for whom the run acts, in any call',
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

  test('has to be known before it is changed, and not before it is talked about', () => {
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

test.each([[false], ['true'], ['false'], [1], [null], [['true']]])('tests that passed: %j are not green', (passed) => {
  for (const action of ['read_file', 'push']) {
    expect(determining('coding', action, { evidence: { test_report: { passed } } })).toEqual([
      'coding.tests_failing_after_mutation.tests_are_red',
    ]);
  }
  expect(determining('coding', 'push', { evidence: { test_report: { passed: true } } })).toBe('permit');
});

describe.each(RISK_PROFILE_NAMES)('a condition of %s', (profile) => {
  const { free, fails_closed } = RISK_PROFILES[profile];
  test.each(fails_closed)('%s is out of the question only where a tool says no', (condition) => {
    const [action = ''] = free;
    const found = (value: JsonObject[string]): unknown =>
      determining(profile, action, { evidence: { report: { [condition]: value } } });
    expect(found(false)).toBe('permit');
    expect(found(true)).toEqual([`${profile}.fails_closed`]);
    for (const value of ['yes', 'true', 1, 0, null, ['a']])
      expect(found(value)).toEqual([`${profile}.condition_unclear`]);
  });
});
