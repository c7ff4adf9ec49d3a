/** Nothing is decided by what was considered for somebody else, for something else, or otherwise. */
import { expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Considered } from '../../model/policy-decision.ts';
import type { LookedCall } from './entities.ts';
import { latelyConsidered } from './lately-considered.ts';

const { principal, resource } = deepFreeze(callRequest());
const CALL: LookedCall = {
  action: 'call_tool',
  principal,
  resource,
  plain: {},
  args: null,
  evidence: null,
  remaining: {},
};
const saying = (text: string, errors: readonly string[] = []): Considered =>
  deepFreeze({ text, ruling: { effect: 'permit', determining: [], reasons: [], gates: [], errors } });

test('the same call in the same circumstances is considered once', () => {
  const lately = latelyConsidered();
  const first = lately.get(CALL, 'c', () => saying('first'));
  expect(lately.get({ ...CALL }, 'c', () => saying('second'))).toBe(first);
});

test.each<[string, LookedCall, string]>([
  ['somebody else', { ...CALL, principal: Object.freeze({ ...principal }) }, 'c'],
  ['another tool', { ...CALL, resource: Object.freeze({ ...resource, name: 'pay' }) }, 'c'],
  ['other circumstances', CALL, 'd'],
])('%s is considered anew', (_what, call, circumstances) => {
  const lately = latelyConsidered();
  lately.get(CALL, 'c', () => saying('first'));
  expect(lately.get(call, circumstances, () => saying('second')).text).toBe('second');
});

test('what went wrong may go right the next time', () => {
  const lately = latelyConsidered();
  lately.get(CALL, 'c', () => saying('first', ['out of memory']));
  expect(lately.get(CALL, 'c', () => saying('second')).text).toBe('second');
});

test.each<[string, LookedCall]>([
  ['who acts', { ...CALL, principal: { ...principal } }],
  ['the tool', { ...CALL, resource: { ...resource } }],
])('where %s can still change nothing is remembered', (_what, call) => {
  const lately = latelyConsidered();
  lately.get(call, 'c', () => saying('first'));
  expect(lately.get(call, 'c', () => saying('second')).text).toBe('second');
});
