/** A mark says who set it, is on nothing but the object itself, and is seen by nobody. */
import { expect, test } from 'vitest';
import { assertBlob, toBlob } from './blob.ts';
import { isSealed, sealFrame } from './frame.ts';
import { Stamp } from './stamp.ts';

const one = (text: string): string => `${text.length}`.padStart(64, '0');
const other = (text: string): string => `${text.length}`.padStart(64, 'f');

test('is known to whoever has it set, and to nobody else', () => {
  const marked = Object.freeze(Stamp.put({ a: 1 }, one));
  expect([Stamp.is(marked, one), Stamp.is(marked, other)]).toEqual([true, false]);
  expect(Stamp.is({ ...marked }, one) || Stamp.is(structuredClone(marked), one)).toBe(false);
  expect([Reflect.ownKeys(marked), JSON.stringify(marked), Object.getPrototypeOf(marked)]).toEqual([
    ['a'],
    '{"a":1}',
    Object.prototype,
  ]);
});

test('what was made with another hash is hashed again', () => {
  expect(() => assertBlob(toBlob('x', other), one, '/blobs/0')).toThrow(
    expect.objectContaining({ code: 'input_invalid' }),
  );
  const frame = sealFrame({ session: 's', seq: 1, at: 1, writer: 'w', events: '[]', prev: 'genesis' }, other);
  expect([isSealed(frame, other), isSealed(frame, one)]).toEqual([true, false]);
  expect(isSealed({ ...frame, events: '[{}]' }, other)).toBe(false);
});
