/** The rules of the catalogue: which requirements are proven, which are pending, and what makes a run fail. */
import { describe, expect, test } from 'vitest';
import { parseCatalogue, readCatalogue } from '../../scripts/requirements/catalogue.ts';
import type { Citation } from '../../scripts/requirements/report.ts';
import { type Question, type Settlement, settle } from '../../scripts/requirements/settle.ts';

const IDS = ['a:b', 'c:d', 'e:f'];
const catalogue = IDS.map((id) => ({ id, source: 's', behavior: 'A plan is checked.', check: 'c' }));
const cite = (ids: readonly string[], over: Partial<Citation> = {}): Citation => ({
  ids,
  test: 'x.test.ts > t',
  state: 'passed',
  matchers: 1,
  ...over,
});
const settled = (over: Partial<Question>): Settlement =>
  settle({ catalogue, proven: [], everProven: [], citingTests: new Map(), citations: [], ...over });

describe('settle', () => {
  test('one test may prove several requirements, and several tests may prove one', () => {
    const citations = [cite(['a:b', 'c:d']), cite(['a:b'])];
    expect(settled({ citations })).toEqual({
      total: 3,
      cited: ['a:b', 'c:d'],
      pending: ['e:f'],
      fresh: ['a:b', 'c:d'],
      citingTests: new Map([
        ['a:b', 2],
        ['c:d', 1],
      ]),
      faults: [],
    });
  });

  test.each([
    ['failed', cite(['a:b'], { state: 'failed' })],
    ['was skipped', cite(['a:b'], { state: 'skipped' })],
    ['never ended', cite(['a:b'], { state: 'pending' })],
    ['ran no matcher', cite(['a:b'], { matchers: 0 })],
  ])('a test that %s proves nothing', (_, citation) => {
    expect(settled({ citations: [citation] }).cited).toEqual([]);
  });

  test("one failed test cancels another test's proof", () => {
    const citations = [cite(['a:b']), cite(['a:b', 'c:d'], { state: 'failed' })];
    expect(settled({ citations }).cited).toEqual([]);
  });

  test('a proven requirement must stay proven', () => {
    const { faults, fresh } = settled({ proven: ['a:b', 'c:d'], citations: [cite(['c:d'])] });
    expect(faults).toEqual(['"a:b" was proven before and is not proven in this run']);
    expect(fresh).toEqual([]);
  });

  test('an unknown id is an error, cited or listed', () => {
    const { faults, pending } = settled({ proven: ['gone:id'], citations: [cite(['x:y'])] });
    expect(faults).toEqual([
      'x.test.ts > t cites "x:y", which is not in the catalogue',
      '"gone:id" is listed as proven, but is not in the catalogue',
    ]);
    expect(pending).toEqual(IDS);
  });

  test('a citing test that was skipped or did not end is an error, even beside one that passed', () => {
    const { cited, faults } = settled({
      citations: [
        cite(['a:b']),
        cite(['a:b'], { test: 'y.test.ts > s', state: 'skipped' }),
        cite(['a:b'], { test: 'z.test.ts > p', state: 'pending' }),
      ],
    });
    expect(cited).toEqual(['a:b']);
    expect(faults).toEqual([
      'y.test.ts > s was skipped; a test that cites a requirement must run',
      'z.test.ts > p did not end; a test that cites a requirement must run',
    ]);
  });

  test('a requirement keeps its number of citing tests', () => {
    const citingTests = new Map([
      ['a:b', 3],
      ['c:d', 1],
    ]);
    const citations = [cite(['a:b']), cite(['a:b', 'c:d']), cite(['c:d']), cite(['a:b'], { matchers: 0 })];
    expect(settled({ citingTests, citations }).faults).toEqual([
      '"a:b" had 3 citing tests and has 2; restore the test, or lower the number in test/requirements/citing-tests.txt',
    ]);
  });

  test('an id that was on the list of proven ids stays on it while the catalogue has it', () => {
    const everProven = ['a:b', 'c:d', 'gone:id'];
    expect(settled({ proven: ['a:b'], everProven, citations: [cite(['a:b']), cite(['c:d'])] }).faults).toEqual([
      '"c:d" was removed from test/requirements/proven.txt; restore its line',
    ]);
  });
});

describe('a requirement that only unit tests cite', () => {
  const unit = [cite(['a:b'], { test: 'src/x.test.ts > t' })];
  const naming = (behavior: string): Partial<Question> => ({
    catalogue: catalogue.map((each) => ({ ...each, behavior })),
  });

  test.each([
    'The plan is refused.',
    'It is recorded.',
    'The run traces it.',
    'Metrics report it.',
    'It dispatches no call.',
  ])('is an error for "%s"', (behavior) => {
    const message = '"a:b" is cited only by unit tests in src/; cite it in a test that reads the fact from a run';
    expect(settled({ ...naming(behavior), citations: unit }).faults).toEqual([message]);
    expect(settled({ ...naming(behavior), citations: [...unit, cite(['a:b'])] }).faults).toEqual([]);
  });

  test('is no error for a fact that no run shows', () => {
    expect(settled({ ...naming('There are five tiers.'), citations: unit }).faults).toEqual([]);
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
