/** Checks the calendar arithmetic against `Date`. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTimestamp } from './timestamp.ts';

test('parses every UTC timestamp to the same milliseconds as Date', () => {
  const moments = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, (date) => {
      expect(parseTimestamp(date.toISOString())).toBe(date.getTime());
    }),
  );
});

test.each(['', 'yesterday', '2026-05-04', '2026-13-01T00:00:00Z', '2026-05-04T10:00:00+02:00', null, -1, 1.5, {}])(
  'rejects %j as a timestamp',
  (value) => {
    expect(parseTimestamp(value)).toBeNull();
  },
);
