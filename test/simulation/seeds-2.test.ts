/** A quarter of the ten thousand seeds, in a worker of its own. */
import { expect, test } from 'vitest';
import { expectLawful } from './sweep.ts';

test('seeds 2501 to 5000 keep every law', { timeout: 600_000 }, () => {
  expect(expectLawful(2501, 2_500)).toHaveLength(2_500);
});
