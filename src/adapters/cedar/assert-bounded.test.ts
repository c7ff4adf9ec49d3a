/** Tests that no policy text overflows the stack of the engine, which would fail every later call of the process. */
import { expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import { cedarAuthorizer, shippedPolicies } from './index.ts';
import { readWithEngine } from './reading-engine.ts';

const policy = (condition: string): string =>
  `@id("a") permit (principal, action == Ambit::Action::"call_tool", resource) when { ${condition} };`;
const nested = (open: string, inner: string, close: string, depth: number): string =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`;

const read = (text: string): unknown => cedarAuthorizer([{ file: 'tenant.cedar', text }]);

/** Texts that overflow the stack of the engine. */
const OVERFLOWING: Readonly<Record<string, string>> = {
  '200 parentheses': policy(nested('(', 'true', ')', 200)),
  '200 sets': policy(`${nested('[', '1', ']', 200)} == 1`),
  '200 records': policy(`${nested('{a:', '1', '}', 200)} == 1`),
  '200 negated parentheses': policy(nested('!(', 'true', ')', 200)),
  '1,000 conditionals': policy(`${'if true then true else '.repeat(1_000)}true`),
  '5,000 conjunctions': policy(`${'true && '.repeat(5_000)}true`),
  '5,000 sums': policy(`${'1 + '.repeat(5_000)}1 == 1`),
  '5,000 attributes': policy(`context${'.a'.repeat(5_000)}`),
  '5,000 indices': policy(`context${'["a"]'.repeat(5_000)}`),
  '5,000 calls of methods': policy(`context${'.contains(1)'.repeat(5_000)}`),
  'parentheses after a text with a bracket': policy(`"(" == ")" && ${nested('(', 'true', ')', 200)}`),
  'parentheses that are hidden by a comment': policy(`// ))))\n${nested('(//)\n', 'true', ')', 200)}`),
  'parentheses around semicolons': policy(nested('(;', 'true', ')', 200)),
  'parentheses after a comment that ends with a carriage return': policy(`// \r ${nested('(', 'true', ')', 200)}`),
  '400 sums': policy(`${'1 + '.repeat(400)}1 == 401`),
  '400 differences': policy(`${'1 - '.repeat(400)}1 == 1`),
  '400 products': policy(`${'1 * '.repeat(400)}1 == 1`),
  '400 sums after a comment that ends with a carriage return': policy(`// \r ${'1 + '.repeat(400)}1 == 401`),
  '400 comparisons': policy(`${'principal.user.name == "a" || '.repeat(400)}true`),
  '400 conditions': policy(`true } ${'when { principal.user.name != "a" } '.repeat(400)} when { true`),
  '390 sums in 39 parentheses': policy(`${nested(`(${'1 + '.repeat(10)}`, '1', ')', 39)} == 1`),
};

test.each(Object.keys(OVERFLOWING))('%s are refused with a fault, and the engine goes on', (name) => {
  expect(() => read(OVERFLOWING[name] ?? '')).toThrow(
    expect.objectContaining({ code: 'policy_invalid', message: expect.stringContaining('tenant.cedar:') }),
  );
  expect(() => read(policy('true'))).not.toThrow();
});

/** The largest texts that are accepted. */
const LARGEST: Readonly<Record<string, string>> = {
  'brackets, conditionals and operators at once': policy(
    `${nested('(', `${'if true then true else '.repeat(40)}true`, ')', 38)}${' && true'.repeat(69)}`,
  ),
  'operators in brackets': policy(nested('(', `true${' && true'.repeat(2)}`, ')', 38)),
  'conditionals in brackets': policy(nested('(if true then true else ', 'true', ')', 38)),
  'calls in brackets': policy(nested('[', 'true', '].contains(true)', 37)),
  sums: policy(`${'1 + '.repeat(147)}1 == 148`),
  'sums in parentheses': policy(`${nested('(1 + 1 + ', '1', ')', 38)} == 77`),
  comparisons: policy(`${'principal.user.name == "b" || '.repeat(145)}true`),
  'sums of which each is compared': policy(
    Array(8)
      .fill(`${'1 + '.repeat(110)}1 == 111`)
      .join(' && '),
  ),
  conditions: policy(`true } ${'when { principal.user.name != "b" } '.repeat(140)} when { true`),
  'a set of 5,000 texts': policy(`["${Array.from({ length: 5_000 }, (_, at) => at).join('","')}"].contains("x")`),
  '2,000 policies': Array.from({ length: 2_000 }, (_, at) => policy('true').replace('"a"', `"p${at}"`)).join('\n'),
};

test.each(Object.keys(LARGEST))('%s are accepted and decided', (name) => {
  const text = LARGEST[name] ?? '';
  expect(cedarAuthorizer([{ file: 'tenant.cedar', text }]).decide(callRequest()).errors).toEqual([]);
  expect(cedarAuthorizer([{ file: 'other.cedar', text: policy('true') }]).decide(callRequest()).effect).toBe('permit');
});

test('the shipped policies are within the limits', () => {
  expect(() => cedarAuthorizer(shippedPolicies())).not.toThrow();
});

test('a text that makes the engine fail costs only the instance that reads it', () => {
  const deep = { staticPolicies: policy(nested('(', 'true', ')', 5_000)) };
  const parse = (): unknown => readWithEngine((engine) => engine.checkParsePolicySet(deep));
  expect(parse).toThrow(RangeError);
  expect(() => read(policy('true'))).not.toThrow();
  expect(parse).toThrow();
  expect(() => read(policy('true'))).not.toThrow();
});
