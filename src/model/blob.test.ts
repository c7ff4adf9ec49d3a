import { hash as digest } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertBlob, toBlob } from './blob.ts';
import { Fault } from './fault.ts';

const sha256 = (text: string): string => digest('sha256', text, 'hex');

test('equal texts, and only those, share an address', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(toBlob(a, sha256).address === toBlob(b, sha256).address).toBe(a === b);
      expect(() => assertBlob(toBlob(a, sha256), sha256, '/blobs/0')).not.toThrow();
    }),
  );
});

test('a text under the address of another is refused with its place', () => {
  const { address } = toBlob('original', sha256);
  expect(() => assertBlob({ address, text: 'forged' }, sha256, '/blobs/3')).toThrow(
    expect.objectContaining({ code: 'input_invalid', path: '/blobs/3' }),
  );
});

test('a text that no store could give back unchanged is refused', () => {
  const broken = toBlob('half a character: \ud83d', sha256);
  expect(() => assertBlob(broken, sha256, '/blobs/0')).toThrow(Fault);
});
