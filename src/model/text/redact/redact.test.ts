/** Secrets are redacted in every common encoding, nothing else is, and the time is linear. */
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CANARY_FORMS } from '../../../../test/attacks/canary-forms.ts';
import { deepFreeze } from '../../json/freeze.ts';
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

  test.each([
    ['+44 20 7946 0958', 442079460958],
    ['4111-1111-1111-1111', 4111111111111111],
    ['(0049) 30.901820', 4930901820],
    ['12345.67', 12345.67],
    ['12345.670', -12345.67],
  ])('%s of digits in groups is also redacted as a number', (secret, value) => {
    const { json } = redactor(new Set([secret]));
    expect(json({ value })).toEqual({ value: '[redacted]' });
    expect(json({ value: value + 1, year: 2025 })).toEqual({ value: value + 1, year: 2025 });
  });

  test('of few digits in groups is not redacted as a number', () => {
    expect(redactor(new Set(['20-25'])).json({ year: 2025 })).toEqual({ year: 2025 });
  });

  test('in a dump is redacted with its text column, and other lines are not', () => {
    const { text } = redactor(new Set(['Tr0ub4d&r']));
    const line = (offset: string, bytes: string): string =>
      `${offset}  ${Buffer.from(bytes).toString('hex').replace(/../g, '$& ').padEnd(49)} |${bytes}|`;
    const before = line('00000000', 'nothing is here ');
    const after = line('00000030', 'nor in this line');
    const dump = [before, line('00000010', 'password: Tr0ub4'), line('00000020', 'd&r, and so on  '), after].join('\n');
    const struck = text(dump).split('\n');
    expect([struck[0], struck.at(-1)]).toEqual([before, after]);
    expect(text(dump)).not.toMatch(/Tr0|ub4|d&r|54 72|64 26/);
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
  expect(took('s3cr3t/pass+'.repeat(100_000))).toBeLessThan(5000);
  expect(took(`${SECRET} `.repeat(50_000))).toBeLessThan(5000);
});

/** Private key of a service, as tools print it. */
const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

describe('in the forms that software writes by itself', () => {
  const VALUES = {
    'a private key': PEM,
    'a token': 'ghp_9aZ0bY1cX2dW3eV4fU5gT6hS7iR8jQ9kP0lO',
    'a password': 's3cr3t/pass+wörd !',
    'a mail address': 'ada.lovelace@example.org',
    'a name': 'Zoë Müller-Strauß',
    'a phone number': '+44 20 7946 0958',
  };
  const lettersOf = (text: string): string => text.replace(/[^a-z0-9]/gi, '').toLowerCase();
  const runsOf = (text: string, size: number): readonly string[] =>
    Array.from({ length: Math.max(text.length - size + 1, 0) }, (_, at) => text.slice(at, at + size));
  const turn = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) + (/[0-46A-Ma-m]/.test(sign) ? 1 : -1));
  /** Runs of letters and digits that only the form of this value has, not that of a similar value. */
  const tracesOf = (value: string, form: string): readonly string[] => {
    const write = (text: string): string => lettersOf((CANARY_FORMS[form] ?? String)(text));
    const similar = write(value.replace(/[a-z0-9]/gi, turn));
    return [...runsOf(lettersOf(value.replace(/-----[A-Z ]+-----/g, '')), 6), ...runsOf(write(value), 12)].filter(
      (part) => !similar.includes(part),
    );
  };
  const leaks = (value: string, form: string, struck: string): readonly string[] => {
    const kept = struck.split('[redacted]').map(lettersOf);
    return tracesOf(value, form).filter((part) => kept.some((text) => text.includes(part)));
  };

  for (const [kind, value] of Object.entries(VALUES)) {
    test.each(Object.keys(CANARY_FORMS))(`${kind} %s`, (form) => {
      const struck = redactor(new Set([value])).text(`log: ${CANARY_FORMS[form]?.(value)} (end)`);
      expect(struck).toContain('[redacted]');
      expect(leaks(value, form, struck)).toEqual([]);
    });
  }

  test('as a list of bytes in a document', () => {
    const { json } = redactor(new Set([PEM]));
    const bytes = Array.from(Buffer.from(PEM));
    expect(json({ a: bytes, b: { ...bytes }, c: [1, 2, 3] })).toEqual({
      a: expect.stringContaining('[redacted]'),
      b: expect.stringContaining('[redacted]'),
      c: [1, 2, 3],
    });
  });

  test('any secret in any form between any texts', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9]{12,60}$/),
        fc.constantFrom(...Object.keys(CANARY_FORMS)),
        fc.string(),
        fc.string(),
        (secret, form, before, after) => {
          const written = CANARY_FORMS[form]?.(secret) ?? '';
          const struck = redactor(new Set([secret])).text(`${before} ${written} ${after}`);
          expect(struck).toContain('[redacted]');
          expect(struck.toLowerCase()).not.toContain(secret.toLowerCase());
        },
      ),
    );
  });

  test('does not redact ordinary texts', () => {
    const { text } = redactor(new Set(Object.values(VALUES)));
    for (const ordinary of [
      'Zoe and Müller met at 7946.',
      'SGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0',
      '{"order":"ord_881","amount":4417,"list":[1,2,3,255]}',
      'ada@example.org and lovelace@example.org',
      '48 45 4c 4c 4f 20 57 4f 52 4c 44',
    ])
      expect(text(ordinary)).toBe(ordinary);
  });
});

test('takes linear time for texts that imitate escapes', () => {
  const { text } = redactor(new Set([PEM, SECRET]));
  const took = (input: string): number => {
    const tries = [1, 2, 3].map(() => {
      const start = process.cpuUsage();
      text(input);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    });
    return Math.min(...tries);
  };
  for (const part of ['\\', '%25', '&amp;', 'amp;', '=', '\\u', '&#', 'a', 'LS0t', '-----BEGIN PRIVATE KEY-----\n']) {
    const small = Math.max(took(part.repeat(3_000)), 10);
    expect(took(part.repeat(30_000)), part).toBeLessThan(40 * small);
  }
});
