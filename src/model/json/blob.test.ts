import { hash as digest } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fault } from '../fault/fault.ts';
import { assertBlob, toBlob } from './blob.ts';

const sha256 = (text: string): string => digest('sha256', text, 'hex');

test('gives equal texts, and only those, the same address', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(toBlob(a, sha256).address === toBlob(b, sha256).address).toBe(a === b);
      expect(() => assertBlob(toBlob(a, sha256), sha256, '/blobs/0')).not.toThrow();
    }),
  );
});

test('refuses a text under the address of another text, with its path', () => {
  const { address } = toBlob('original', sha256);
  expect(() => assertBlob({ address, text: 'forged' }, sha256, '/blobs/3')).toThrow(
    expect.objectContaining({ code: 'input_invalid', path: '/blobs/3' }),
  );
});

test('refuses a text that a store could not return unchanged', () => {
  const broken = toBlob('half a character: \ud83d', sha256);
  expect(() => assertBlob(broken, sha256, '/blobs/0')).toThrow(Fault);
});
