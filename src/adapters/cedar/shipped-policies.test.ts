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

describe('the account holder', () => {
  const refund = (args: JsonObject, evidence: Evidence = {}): unknown =>
    determining('customer_support', 'refund', { arguments: args, evidence });

  test('may be the user of the run, or unknown: the boundary asks for it', () => {
    expect(refund({ account_holder: 'ann' })).toBe('permit');
    expect(refund({}, { account: { holder: 'ann' } })).toBe('permit');
    expect(refund({}, { account: { balance: 3 } })).toBe('permit');
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
  test.each(fails_closed.map(({ condition }) => condition))(
    '%s is ruled out only by an explicit false',
    (condition) => {
      const [action = ''] = free;
      const found = (value: JsonObject[string]): unknown =>
        determining(profile, action, { evidence: { report: { [condition]: value } } });
      expect(found(false)).toBe('permit');
      expect(found(true)).toEqual([`${profile}.fails_closed`]);
      for (const value of ['yes', 'true', 1, 0, null, ['a']])
        expect(found(value)).toEqual([`${profile}.condition_unclear`]);
    },
  );
});

describe.each(RISK_PROFILE_NAMES)('the steps that every planner may add, under %s', (profile) => {
  const speak = (resource: object): unknown => engine.decide(callRequest({ resource, context: { profile } }));
  test.each(['respond', 'clarify'])('%s needs no permit of the profile', (name) => {
    const resource = { name, action: null, mode: 'read_only', side_effect: false, external: false } as const;
    expect(speak(resource)).toMatchObject({ effect: 'permit', determining: ['default.speak'], gates: [] });
    for (const change of [{ mode: 'local_write' }, { side_effect: true }, { external: true }, { name: 'respond_all' }])
      expect(speak({ ...resource, ...change })).toMatchObject({ effect: 'forbid', determining: [] });
  });
});
