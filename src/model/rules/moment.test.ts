/** Proves that a stated moment is the one the calendar says, without asking the machine's clock. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { momentOf } from './moment.ts';

test('every moment of UTC comes back as it was', () => {
  const moments = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, (date) => {
      expect(momentOf(date.toISOString())).toBe(date.getTime());
    }),
  );
});

test.each(['', 'yesterday', '2026-05-04', '2026-13-01T00:00:00Z', '2026-05-04T10:00:00+02:00', null, -1, 1.5, {}])(
  '%j is no moment',
  (value) => {
    expect(momentOf(value)).toBeNull();
  },
);
