/** Only an explicit yes of the policy clears a goal. */
import { describe, expect, test } from 'vitest';
import { goalSaying, identity } from '../../test/intake/cases.ts';
import type { SecurityToken } from '../model/run/identity.ts';
import type { Policy, PolicyAnswer } from '../ports/authorizer.ts';
import { checkIntakePolicy } from './check-policy.ts';

const goal = goalSaying('Refund order ord_881.');
const { scopes: _, ...holder } = identity;
const token: SecurityToken = { ...holder, data_scopes: [], allowed_tools: [], approval_authority: 'read_only' };
const ask = (check: Policy['check']) => checkIntakePolicy({ goal, token, policy: { check } });

test('clears a goal that the policy clears, and keeps the rule', () => {
  expect(ask(() => ({ cleared: true, rule: null }))).toEqual({ type: 'policy_checked', cleared: true, rule: null });
  expect(ask(() => ({ cleared: true, rule: 'refunds@2' }))).toMatchObject({ cleared: true, rule: 'refunds@2' });
});

test('passes the goal and the token to the policy', () => {
  const seen: unknown[] = [];
  ask((...asked) => {
    seen.push(...asked);
    return { cleared: true, rule: null };
  });
  expect(seen).toEqual([goal, token]);
});

test('does not clear a goal that a rule forbids, and names the rule', () => {
  const forbidden = ask(() => ({ cleared: false, rule: 'no_refunds_on_sunday' }));
  expect(forbidden).toEqual({ type: 'policy_checked', cleared: false, rule: 'no_refunds_on_sunday' });
  expect(ask(() => ({ cleared: false, rule: null }))).toMatchObject({ cleared: false, rule: 'rule_not_named' });
});

describe('a goal is not cleared', () => {
  test.each([
    [
      'an engine that throws',
      () => {
        throw new Error('down');
      },
      'policy_engine_failed',
    ],
    [
      'an engine that throws undefined',
      () => {
        throw undefined as unknown as Error;
      },
      'policy_engine_failed',
    ],
    ['an engine that answers nothing', () => undefined, 'policy_answer_invalid'],
    ['an engine that answers null', () => null, 'policy_answer_invalid'],
    ['an asynchronous engine', () => Promise.resolve({ cleared: true, rule: null }), 'policy_answer_invalid'],
    ['a yes that is only truthy', () => ({ cleared: 'yes', rule: null }), 'policy_answer_invalid'],
    ['an empty answer', () => ({}), 'policy_answer_invalid'],
  ])('by %s', (__, check, rule) => {
    const answer = ask(check as unknown as () => PolicyAnswer);
    expect(answer).toEqual({ type: 'policy_checked', cleared: false, rule });
  });
});
