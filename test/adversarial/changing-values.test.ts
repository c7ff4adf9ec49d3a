/** Found by the dice: values that change, or break, while somebody looks at them. */
import { expect, test } from 'vitest';
import { Fault } from '../../src/model/fault.ts';
import { takeJson } from '../../src/model/take-json.ts';

/** An object whose one field is what it should be as often as that, and then something else. */
function turning(times: number, later: unknown): object {
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
  ['no number', Number.NaN],
  ['code', () => 'code'],
  ['nothing', undefined],
  ['half a character', '\ud800'],
  ['more than there is room for', 'x'.repeat(2_000_000)],
  ['a depth without end', endless],
])('what turns into %s once it has been checked is not taken', (_, later) => {
  expect(() => takeJson(turning(1, later))).toThrow(expect.objectContaining({ code: 'input_invalid' }));
});

test('what was checked is what is kept', () => {
  expect(takeJson(turning(2, 'another'))).toEqual({ text: 'plain' });
});

test('what cannot even be looked at is no Fault, and asking does not fail', () => {
  const { proxy, revoke } = Proxy.revocable(new Error('once'), {});
  revoke();
  const named = Object.defineProperty(new Error('x'), 'name', { get: () => expect.unreachable() });
  expect([Fault.is(proxy), Fault.is(named)]).toEqual([false, false]);
});
