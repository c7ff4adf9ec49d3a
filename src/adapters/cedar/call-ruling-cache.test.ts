/** Tests that a cached ruling is never used for another principal, tool or set of circumstances. */
import { expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { consideredText, type PolicyRuling, rulingOnText } from '../../model/policy/policy-decision.ts';
import { callRulingCache } from './call-ruling-cache.ts';
import type { ReadCall } from './read-parts.ts';
import { cedarValues } from './values.ts';

const { principal, resource } = deepFreeze(callRequest());
const names = ['risk', 'pending', 'profile'];
const CALL: ReadCall = {
  action: 'call_tool',
  principal,
  resource,
  plain: { names, values: ['low', ['/a'], undefined] },
  args: null,
  evidence: cedarValues({ report: { passed: true, found: ['a', 'b'] } }),
  remaining: { tool_calls: 5 },
};
const ruled = (text: string, errors: readonly string[] = []): PolicyRuling =>
  rulingOnText(text, { effect: 'permit', determining: [], reasons: [], gates: [], errors });

test('considers the same call in the same circumstances once', () => {
  const lately = callRulingCache();
  const first = lately.get(CALL, () => ruled('first'));
  const { plain, ...rest } = structuredClone(CALL);
  const again: ReadCall = { ...rest, plain: { names, values: plain.values }, principal, resource };
  expect(lately.get(again, () => ruled('second'))).toBe(first);
});

test.each<[string, Partial<ReadCall>]>([
  ['another principal', { principal: Object.freeze({ ...principal }) }],
  ['another tool', { resource: Object.freeze({ ...resource, name: 'pay' }) }],
  ['another circumstance', { plain: { names, values: ['high', ['/a'], undefined] } }],
  ['one more circumstance', { plain: { names, values: ['low', ['/a'], 'coding'] } }],
  ['one circumstance fewer', { plain: { names, values: ['low', undefined, undefined] } }],
  ['another pending argument', { plain: { names, values: ['low', ['/b'], undefined] } }],
  ['one more pending argument', { plain: { names, values: ['low', ['/a', '/b'], undefined] } }],
  ['the same under other names', { plain: { ...CALL.plain, names: ['risk', 'untrusted', 'profile'] } }],
  ['other arguments', { args: cedarValues({ a: 1 }) }],
  ['other evidence', { evidence: cedarValues({ report: { passed: false, found: ['a', 'b'] } }) }],
  ['a longer list in it', { evidence: cedarValues({ report: { passed: true, found: ['a', 'b', 'c'] } }) }],
  ['no evidence', { evidence: null }],
  ['a smaller budget', { remaining: { tool_calls: 4 } }],
])('considers again: %s', (_what, changes) => {
  const lately = callRulingCache();
  lately.get(CALL, () => ruled('first'));
  expect(consideredText(lately.get({ ...CALL, ...changes }, () => ruled('second')))).toBe('second');
});

test('does not cache errors', () => {
  const lately = callRulingCache();
  lately.get(CALL, () => ruled('first', ['out of memory']));
  expect(consideredText(lately.get(CALL, () => ruled('second')))).toBe('second');
});

test('does not cache long texts', () => {
  const lately = callRulingCache();
  const long: ReadCall = { ...CALL, plain: { names, values: ['x'.repeat(4_001), undefined, undefined] } };
  lately.get(long, () => ruled('first'));
  expect(consideredText(lately.get(long, () => ruled('second')))).toBe('second');
});

test.each<[string, ReadCall]>([
  ['the principal', { ...CALL, principal: { ...principal } }],
  ['the tool', { ...CALL, resource: { ...resource } }],
])('does not cache if %s is not frozen', (_what, call) => {
  const lately = callRulingCache();
  lately.get(call, () => ruled('first'));
  expect(consideredText(lately.get(call, () => ruled('second')))).toBe('second');
});

test('limits the cache for any number of principals and tools', () => {
  const lately = callRulingCache();
  const tools = Array.from({ length: 50 }, (_, place) => Object.freeze({ ...resource, name: `tool_${place}` }));
  lately.get(CALL, () => ruled('first'));
  const others = Array.from({ length: 101 }, () => Object.freeze({ ...principal }));
  for (const other of others) {
    for (const tool of tools) lately.get({ ...CALL, principal: other, resource: tool }, () => ruled('other'));
  }
  expect(consideredText(lately.get(CALL, () => ruled('second')))).toBe('second');
  expect(consideredText(lately.get(CALL, () => ruled('third')))).toBe('second');
});

test('replacing an entry does not count towards the limit', () => {
  const lately = callRulingCache();
  const other: ReadCall = { ...CALL, resource: Object.freeze({ ...resource, name: 'pay' }) };
  lately.get(CALL, () => ruled('first'));
  for (let left = 0; left < 6_000; left += 1) lately.get({ ...other, remaining: { left } }, () => ruled('other'));
  expect(consideredText(lately.get(CALL, () => ruled('second')))).toBe('first');
});
