/** Tests that policies over which the engine fails cost no other policies their rulings. */
import { expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import { type PreparedPolicies, preparePolicies } from './deciding-engine.ts';
import { cedarAuthorizer } from './index.ts';

const permit = (condition: string): string =>
  `@id("a") permit (principal, action == Ambit::Action::"call_tool", resource) when { ${condition} };`;

/** Policies that overflow the stack of the engine when they are evaluated, which a text over the limits would do. */
const overflowing = (): PreparedPolicies => preparePolicies('overflow', { a: permit(`${'1 + '.repeat(400)}1 == 401`) });

const QUESTION = {
  principal: { type: 'Ambit::User', id: 'ann' },
  action: { type: 'Ambit::Action', id: 'call_tool' },
  resource: { type: 'Ambit::Tool', id: 'look' },
  context: {},
  entities: [],
  validateRequest: false,
};

const REFUSED = expect.objectContaining({
  code: 'policy_invalid',
  message: expect.stringContaining('cannot evaluate these policies'),
});

test('policies over which the engine fails are refused, and all others are decided as before', () => {
  const before = cedarAuthorizer([{ file: 'before.cedar', text: permit('principal.user.name != "bob"') }]);
  const decideFor = (user: string): string => before.decide(callRequest({ principal: { user } })).effect;
  expect(decideFor('ann')).toBe('permit');
  const evil = overflowing();
  for (const time of ['first', 'second', 'third']) {
    expect(() => evil.ask(QUESTION), time).toThrow(REFUSED);
    expect([decideFor(`eve_${time}`), decideFor('bob')]).toEqual(['permit', 'forbid']);
  }
  expect(() => overflowing().ask(QUESTION)).toThrow(REFUSED);
  const after = cedarAuthorizer([{ file: 'after.cedar', text: permit('1 == 1') }]);
  expect([after.decide(callRequest()).effect, decideFor('eve')]).toEqual(['permit', 'permit']);
});

test('policies that the engine cannot parse are refused with its message', () => {
  const wrong = preparePolicies('wrong', { a: 'permit (' });
  expect(() => wrong.ask(QUESTION)).toThrow(expect.objectContaining({ code: 'policy_invalid' }));
});
