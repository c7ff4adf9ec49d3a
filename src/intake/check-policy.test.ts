/** Proves that only a plain yes clears a goal. */
import { describe, expect, test } from 'vitest';
import { goalSaying, identity } from '../../test/intake/cases.ts';
import type { SecurityToken } from '../model/identity.ts';
import type { Policy, PolicyAnswer } from '../ports/policy.ts';
import { checkPolicy } from './check-policy.ts';

const goal = goalSaying('Refund order ord_881.');
const { scopes: _, ...holder } = identity;
const token: SecurityToken = { ...holder, data_scopes: [], allowed_tools: [], approval_authority: 'read_only' };
const ask = (check: Policy['check']) => checkPolicy({ goal, token, policy: { check } });

test('a goal that the policy clears is cleared, with the rule that said so', () => {
  expect(ask(() => ({ cleared: true, rule: null }))).toEqual({ type: 'policy_checked', cleared: true, rule: null });
  expect(ask(() => ({ cleared: true, rule: 'refunds@2' }))).toMatchObject({ cleared: true, rule: 'refunds@2' });
});

test('the policy is asked about this goal and this token', () => {
  const seen: unknown[] = [];
  ask((...asked) => {
    seen.push(...asked);
    return { cleared: true, rule: null };
  });
  expect(seen).toEqual([goal, token]);
});

test('a goal that a rule forbids is not cleared, and the rule is named', () => {
  const forbidden = ask(() => ({ cleared: false, rule: 'no_refunds_on_sunday' }));
  expect(forbidden).toEqual({ type: 'policy_checked', cleared: false, rule: 'no_refunds_on_sunday' });
  expect(ask(() => ({ cleared: false, rule: null }))).toMatchObject({ cleared: false, rule: 'rule_not_named' });
});

describe('is not cleared', () => {
  test.each([
    [
      'an engine that throws',
      () => {
        throw new Error('down');
      },
      'policy_engine_failed',
    ],
    [
      'an engine that throws nothing in particular',
      () => {
        throw undefined as unknown as Error;
      },
      'policy_engine_failed',
    ],
    ['an engine that answers nothing', () => undefined, 'policy_answer_invalid'],
    ['an engine that answers null', () => null, 'policy_answer_invalid'],
    ['an engine that answers later', () => Promise.resolve({ cleared: true, rule: null }), 'policy_answer_invalid'],
    ['a yes that is only truthy', () => ({ cleared: 'yes', rule: null }), 'policy_answer_invalid'],
    ['an answer without a word', () => ({}), 'policy_answer_invalid'],
  ])('by %s', (__, check, rule) => {
    const answer = ask(check as unknown as () => PolicyAnswer);
    expect(answer).toEqual({ type: 'policy_checked', cleared: false, rule });
  });
});
