import { expect, test } from 'vitest';
import { counted } from './counted.ts';

test('one is no plural, and everything else is', () => {
  expect([0, 1, 2].map((count) => counted(count, 'plan'))).toEqual(['0 plans', '1 plan', '2 plans']);
});
