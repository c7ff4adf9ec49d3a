/** Values that change or throw while they are read. The fuzz tests found them. */
import { expect, test } from 'vitest';
import { Fault } from '../../src/model/fault/fault.ts';
import { takeJson } from '../../src/model/json/take-json.ts';

/** An object whose only field reads `plain` that many times and `later` afterwards. */
function changingObject(times: number, later: unknown): object {
  let reads = 0;
  return Object.defineProperty({}, 'text', {
    enumerable: true,
    get: () => {
      reads += 1;
      return reads > times ? later : 'plain';
    },
  });
}

const endless: object = new Proxy(
  {},
  { ownKeys: () => ['in'], getOwnPropertyDescriptor: () => field(), get: () => endless },
);

const field = (): PropertyDescriptor => ({ value: 1, enumerable: true, configurable: true });

test.each<[string, unknown]>([
  ['NaN', Number.NaN],
  ['a function', () => 'code'],
  ['undefined', undefined],
  ['a lone surrogate', '\ud800'],
  ['a text over the size limit', 'x'.repeat(2_000_000)],
  ['an endlessly nested object', endless],
])('rejects a value that turns into %s after the check', (_, later) => {
  expect(() => takeJson(changingObject(1, later))).toThrow(expect.objectContaining({ code: 'input_invalid' }));
});

test('keeps the value that was checked', () => {
  expect(takeJson(changingObject(2, 'another'))).toEqual({ text: 'plain' });
});

test('Fault.is returns false for a value that throws when it is read', () => {
  const { proxy, revoke } = Proxy.revocable(new Error('once'), {});
  revoke();
  const named = Object.defineProperty(new Error('x'), 'name', { get: () => expect.unreachable() });
  expect([Fault.is(proxy), Fault.is(named)]).toEqual([false, false]);
});
