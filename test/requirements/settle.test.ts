/** The rules of the catalogue: which requirements are proven, which are pending, and what makes a run fail. */
import { describe, expect, test } from 'vitest';
import { parseCatalogue, readCatalogue } from '../../scripts/requirements/catalogue.ts';
import type { Citation } from '../../scripts/requirements/report.ts';
import { merge, settle } from '../../scripts/requirements/settle.ts';

const catalogue = ['a:b', 'c:d', 'e:f'];
const cite = (ids: readonly string[], over: Partial<Citation> = {}): Citation => ({
  ids,
  test: 'x.test.ts > t',
  state: 'passed',
  assertions: 1,
  ...over,
});

describe('settle', () => {
  test('one test may prove several requirements, and several tests may prove one', () => {
    const citations = [cite(['a:b', 'c:d']), cite(['a:b'])];
    expect(settle({ catalogue, proven: [], citations })).toEqual({
      total: 3,
      cited: ['a:b', 'c:d'],
      pending: ['e:f'],
      fresh: ['a:b', 'c:d'],
      faults: [],
    });
  });

  test.each([
    ['failed', cite(['a:b'], { state: 'failed' })],
    ['was skipped', cite(['a:b'], { state: 'skipped' })],
    ['never ended', cite(['a:b'], { state: 'pending' })],
    ['asserted nothing', cite(['a:b'], { assertions: 0 })],
  ])('a test that %s proves nothing', (_, citation) => {
    expect(settle({ catalogue, proven: [], citations: [citation] }).cited).toEqual([]);
  });

  test("one failed test cancels another test's proof", () => {
    const citations = [cite(['a:b']), cite(['a:b', 'c:d'], { state: 'failed' })];
    expect(settle({ catalogue, proven: [], citations }).cited).toEqual([]);
  });

  test('a proven requirement must stay proven', () => {
    const { faults, fresh } = settle({ catalogue, proven: ['a:b', 'c:d'], citations: [cite(['c:d'])] });
    expect(faults).toEqual(['"a:b" was proven before and is not proven in this run']);
    expect(fresh).toEqual([]);
  });

  test('an unknown id is an error, cited or listed', () => {
    const { faults, pending } = settle({ catalogue, proven: ['gone:id'], citations: [cite(['x:y'])] });
    expect(faults).toEqual([
      'x.test.ts > t cites "x:y", which is not in the catalogue',
      '"gone:id" is listed as proven, but is not in the catalogue',
    ]);
    expect(pending).toEqual(catalogue);
  });

  test('the list of proven ids stays sorted and never shrinks', () => {
    expect(merge(['c:d', 'x:y'], ['a:b', 'c:d'])).toEqual(['a:b', 'c:d', 'x:y']);
  });
});

describe('the catalogue', () => {
  const line = { id: 'a:b', source: 's', behavior: 'b', check: 'c' };
  const json = (entry: object): string => `${JSON.stringify(entry)}\n`;

  test('is read line by line', () => {
    expect(parseCatalogue(json(line))).toEqual([line]);
    expect(() => parseCatalogue(json({ ...line, check: '' }))).toThrow('requirement 1: "check" is missing');
    expect(() => parseCatalogue(json(line) + json(line))).toThrow('requirement "a:b" is listed twice');
  });

  test('of this project is sorted and has every field', () => {
    const ids = readCatalogue().map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(400);
    expect(ids).toEqual([...ids].sort());
  });
});
