/** A quarter of the ten thousand seeds, in a worker of its own. */
import { expect, test } from 'vitest';
import { expectLawful } from './sweep.ts';

test('seeds 7501 to 10000 keep every law', { timeout: 600_000 }, () => {
  expect(expectLawful(7501, 2_500)).toHaveLength(2_500);
});
