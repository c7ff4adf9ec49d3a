/** A stamp identifies its setter, belongs to one object and not its copies, and is invisible. */
import { expect, test } from 'vitest';
import { isSealed, sealFrame } from '../events/frame.ts';
import { assertBlob, toBlob } from './blob.ts';
import { Stamp } from './stamp.ts';

const one = (text: string): string => `${text.length}`.padStart(64, '0');
const other = (text: string): string => `${text.length}`.padStart(64, 'f');

test('is recognised only with the value that it was set with', () => {
  const marked = Object.freeze(Stamp.put({ a: 1 }, one));
  expect([Stamp.is(marked, one), Stamp.is(marked, other)]).toEqual([true, false]);
  expect(Stamp.is({ ...marked }, one) || Stamp.is(structuredClone(marked), one)).toBe(false);
  expect([Reflect.ownKeys(marked), JSON.stringify(marked), Object.getPrototypeOf(marked)]).toEqual([
    ['a'],
    '{"a":1}',
    Object.prototype,
  ]);
});

test('hashes again a frame or blob that was stamped with another hash function', () => {
  expect(() => assertBlob(toBlob('x', other), one, '/blobs/0')).toThrow(
    expect.objectContaining({ code: 'input_invalid' }),
  );
  const frame = sealFrame({ session: 's', seq: 1, at: 1, writer: 'w', events: '[]', prev: 'genesis' }, other);
  expect([isSealed(frame, other), isSealed(frame, one)]).toEqual([true, false]);
  expect(isSealed({ ...frame, events: '[{}]' }, other)).toBe(false);
});
