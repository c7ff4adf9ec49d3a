/** A quarter of the ten thousand seeds, in a worker of its own. */
import { expect, test } from 'vitest';
import { expectLawful } from './sweep.ts';

test('seeds 5001 to 7500 keep every law', { timeout: 600_000 }, () => {
  expect(expectLawful(5001, 2_500)).toHaveLength(2_500);
});
