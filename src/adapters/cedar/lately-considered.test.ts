/** Nothing is decided by what was considered for somebody else, for something else, or otherwise. */
import { expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Considered } from '../../model/policy-decision.ts';
import { latelyConsidered } from './lately-considered.ts';
import type { LookedCall } from './look.ts';
import { cedarValues } from './values.ts';

const { principal, resource } = deepFreeze(callRequest());
const names = ['risk', 'pending', 'profile'];
const CALL: LookedCall = {
  action: 'call_tool',
  principal,
  resource,
  plain: { names, values: ['low', ['/a'], undefined] },
  args: null,
  evidence: cedarValues({ report: { passed: true, found: ['a', 'b'] } }),
  remaining: { tool_calls: 5 },
};
const saying = (text: string, errors: readonly string[] = []): Considered =>
  deepFreeze({ text, ruling: { effect: 'permit', determining: [], reasons: [], gates: [], errors } });

test('the same call in the same circumstances is considered once', () => {
  const lately = latelyConsidered();
  const first = lately.get(CALL, () => saying('first'));
  const { plain, ...rest } = structuredClone(CALL);
  const again: LookedCall = { ...rest, plain: { names, values: plain.values }, principal, resource };
  expect(lately.get(again, () => saying('second'))).toBe(first);
});

test.each<[string, Partial<LookedCall>]>([
  ['somebody else', { principal: Object.freeze({ ...principal }) }],
  ['another tool', { resource: Object.freeze({ ...resource, name: 'pay' }) }],
  ['another circumstance', { plain: { names, values: ['high', ['/a'], undefined] } }],
  ['one more circumstance', { plain: { names, values: ['low', ['/a'], 'coding'] } }],
  ['one circumstance less', { plain: { names, values: ['low', undefined, undefined] } }],
  ['something else that is pending', { plain: { names, values: ['low', ['/b'], undefined] } }],
  ['something more that is pending', { plain: { names, values: ['low', ['/a', '/b'], undefined] } }],
  ['the same under other names', { plain: { ...CALL.plain, names: ['risk', 'untrusted', 'profile'] } }],
  ['other arguments', { args: cedarValues({ a: 1 }) }],
  ['other evidence', { evidence: cedarValues({ report: { passed: false, found: ['a', 'b'] } }) }],
  ['a longer list in it', { evidence: cedarValues({ report: { passed: true, found: ['a', 'b', 'c'] } }) }],
  ['no evidence', { evidence: null }],
  ['less that is left', { remaining: { tool_calls: 4 } }],
])('%s is considered anew', (_what, changes) => {
  const lately = latelyConsidered();
  lately.get(CALL, () => saying('first'));
  expect(lately.get({ ...CALL, ...changes }, () => saying('second')).text).toBe('second');
});

test('what went wrong may go right the next time', () => {
  const lately = latelyConsidered();
  lately.get(CALL, () => saying('first', ['out of memory']));
  expect(lately.get(CALL, () => saying('second')).text).toBe('second');
});

test('what is long is not kept', () => {
  const lately = latelyConsidered();
  const long: LookedCall = { ...CALL, plain: { names, values: ['x'.repeat(4_001), undefined, undefined] } };
  lately.get(long, () => saying('first'));
  expect(lately.get(long, () => saying('second')).text).toBe('second');
});

test.each<[string, LookedCall]>([
  ['who acts', { ...CALL, principal: { ...principal } }],
  ['the tool', { ...CALL, resource: { ...resource } }],
])('where %s can still change nothing is remembered', (_what, call) => {
  const lately = latelyConsidered();
  lately.get(call, () => saying('first'));
  expect(lately.get(call, () => saying('second')).text).toBe('second');
});

test('no more is kept than so much, however many act with however many tools', () => {
  const lately = latelyConsidered();
  const tools = Array.from({ length: 50 }, (_, place) => Object.freeze({ ...resource, name: `tool_${place}` }));
  lately.get(CALL, () => saying('first'));
  const others = Array.from({ length: 101 }, () => Object.freeze({ ...principal }));
  for (const other of others) {
    for (const tool of tools) lately.get({ ...CALL, principal: other, resource: tool }, () => saying('other'));
  }
  expect(lately.get(CALL, () => saying('second')).text).toBe('second');
  expect(lately.get(CALL, () => saying('third')).text).toBe('second');
});

test('what is considered anew in place of what was takes no more room', () => {
  const lately = latelyConsidered();
  const other: LookedCall = { ...CALL, resource: Object.freeze({ ...resource, name: 'pay' }) };
  lately.get(CALL, () => saying('first'));
  for (let left = 0; left < 6_000; left += 1) lately.get({ ...other, remaining: { left } }, () => saying('other'));
  expect(lately.get(CALL, () => saying('second')).text).toBe('first');
});
