/** The list of requirements that only unit tests cite. */
import { expect, test } from 'vitest';
import type { Citation } from '../../scripts/requirements/report.ts';
import { thinProofs } from '../../scripts/requirements/thin.ts';

const cite = (file: string, ...ids: readonly string[]): Citation => ({
  ids,
  test: `${file} > a test > of a suite`,
  state: 'passed',
  matchers: 1,
});

test('lists an id whose citations all lie in src, with the files', () => {
  const citations = [
    cite('src/b.test.ts', 'e:f', 'a:b'),
    cite('src/a.test.ts', 'a:b', 'c:d'),
    cite('src/a.test.ts', 'a:b'),
    cite('test/runs/c.test.ts', 'c:d'),
  ];
  expect(thinProofs(citations)).toEqual([
    { id: 'a:b', files: ['src/a.test.ts', 'src/b.test.ts'] },
    { id: 'e:f', files: ['src/b.test.ts'] },
  ]);
});
