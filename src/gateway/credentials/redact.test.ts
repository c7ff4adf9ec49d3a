/** Secrets are redacted in every common encoding, nothing else is, and the time is linear. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../model/json/freeze.ts';
import { redactor } from './redact.ts';

const SECRET = 's3cr3t/pass+wörd !';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { text, json } = redactor(new Set([SECRET, '90817263', '0042']));

describe('a secret', () => {
  test.each([
    ['as it is', SECRET],
    ['in JSON that is a text', JSON.stringify({ a: `x${SECRET}` })],
    ['in an address', encodeURIComponent(SECRET)],
    ['in an address, in small digits', encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase())],
    ['in a form', new URLSearchParams({ a: SECRET }).toString()],
    ['in an address within an address', encodeURIComponent(encodeURIComponent(SECRET))],
    ['with every byte escaped', Buffer.from(SECRET).toString('hex').replace(/../g, '%$&')],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['in large hexadecimal', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['in a header of user and password', `Basic ${base64(`user:${SECRET}`)}`],
    ['in Base64 for addresses', Buffer.from(`ab${SECRET}`).toString('base64url')],
  ])('%s is redacted', (_how, input) => {
    expect(text(`before ${input} after`)).toContain('[redacted]');
    expect(text(input).replaceAll('[redacted]', '')).not.toMatch(/cr3t|pass|637233|cGFzc|czNj/i);
  });

  test('is removed completely from Base64 at every offset', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.string(), fc.string(), (secret, before, after) => {
        const struck = redactor(new Set([secret])).text(base64(before + secret + after));
        expect(struck).toContain('[redacted]');
        const left = struck.split('[redacted]').reduce((sum, part) => sum + part.replaceAll('=', '').length, 0);
        expect(left * 6).toBeLessThanOrEqual(Buffer.from(before + after).length * 8 + 6);
      }),
    );
  });

  test.each([[90817263], [-90817263], [90817263.0]])('of digits is also redacted as the number %d', (value) => {
    expect(json({ value, list: [value] })).toEqual({ value: '[redacted]', list: ['[redacted]'] });
  });

  test('that overlaps another one is removed completely with it', () => {
    expect(redactor(new Set(['abcd', 'cdef'])).text('xabcdefx')).toBe('x[redacted]x');
  });

  test('is redacted in keys, even if it is added while the tool runs', () => {
    const secrets = new Set<string>();
    const growing = redactor(secrets);
    expect(growing.json({ later: 1 })).toEqual({ later: 1 });
    secrets.add('later');
    expect(growing.json({ later: 1 })).toEqual({ '[redacted]': 1 });
  });
});

test('leaves all other values unchanged', () => {
  const input = deepFreeze({ n: 42, m: 1.5, t: 'pass 9081 7263', list: [true, null, 7263], hex: 'deadbeef' });
  expect(json(input)).toEqual(input);
});

test('takes time proportional to the size of the result', () => {
  const many = (n: number): string[] => Array.from({ length: n }, (_, at) => `value ${at} ${'x'.repeat(40)}`);
  // Processor time in ms, the best of three: other processes on the machine do not count.
  const took = (value: string | string[]): number => {
    const tries = [1, 2, 3].map(() => {
      const start = process.cpuUsage();
      json(value);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    });
    return Math.min(...tries);
  };
  took(many(2000));
  expect(took(many(40_000))).toBeLessThan(40 * Math.max(took(many(4000)), 5));
  expect(took('s3cr3t/pass+'.repeat(400_000))).toBeLessThan(5000);
  expect(took(`${SECRET} `.repeat(50_000))).toBeLessThan(5000);
});
