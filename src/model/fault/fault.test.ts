import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Fault } from './fault.ts';
import { FAULT_CODES, FAULTS, faultRow } from './fault-table.ts';

/** A Fault class of another copy of this package: equal in shape, not identical. */
class OtherCopy extends Error {
  override readonly name = 'Fault';
  readonly code: string;
  constructor(code: string) {
    super('made by another copy');
    this.code = code;
  }
}

describe('Fault', () => {
  test('carries code, message, path and cause', () => {
    const cause = new Error('below');
    const fault = new Fault('input_invalid', 'no', { path: '/a', cause });
    expect(fault).toMatchObject({ name: 'Fault', code: 'input_invalid', message: 'no', path: '/a', cause });
    expect(new Fault('internal', 'x').path).toBeUndefined();
  });

  test('takes from the table if a retry can help', () => {
    expect(new Fault('store_unavailable', 'x').retryable).toBe(true);
    expect(new Fault('input_invalid', 'x').retryable).toBe(false);
  });

  test('is recognised by its shape, so that two copies of the package work together', () => {
    expect(Fault.is(new Fault('internal', 'x'))).toBe(true);
    expect(Fault.is(new OtherCopy('internal'))).toBe(true);
  });

  test.each([
    ['a code that is not in the table', new OtherCopy('surprise')],
    ['a code that every object has', new OtherCopy('toString')],
    ['a prototype key', new OtherCopy('__proto__')],
    ['another error', Object.assign(new TypeError('x'), { code: 'internal' })],
    ['an error with a numeric code', Object.assign(new Error('x'), { name: 'Fault', code: 1 })],
    ['a look-alike that is no error', { name: 'Fault', code: 'internal', message: 'x' }],
    ['nothing', undefined],
    ['null', null],
    ['text', 'internal'],
  ])('is not %s', (_, value) => {
    expect(Fault.is(value)).toBe(false);
  });
});

describe('docs/reference/faults.md', () => {
  const page = readFileSync(new URL('../../../docs/reference/faults.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (yes|no) \| (\d+) \| (\d+) \| (.+) \|$/gm)].map(
    ([, code, retryable, http, exit, meaning]) => [
      code,
      { retryable: retryable === 'yes', http: Number(http), exit: Number(exit), meaning },
    ],
  );

  test('lists exactly the rows of the table, in order', () => {
    expect(rows).toEqual(Object.entries(FAULTS));
  });

  test('explains every exit code of the table, and no other', () => {
    const explained = [...page.matchAll(/^\| (\d+) \| .+ \|$/gm)].map(([, exit]) => Number(exit));
    const used = new Set(FAULT_CODES.map((code) => faultRow(code).exit));
    expect(explained).toEqual([...used].toSorted((a, b) => a - b));
  });
});

test('every code is snake_case, its meaning a sentence, and its status a valid HTTP status', () => {
  for (const code of FAULT_CODES) {
    const { meaning, http } = faultRow(code);
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(http).toBeGreaterThanOrEqual(400);
    expect(http).toBeLessThan(600);
  }
});
