/** A citation counts only for a test that ran, passed and ran a matcher, shown on a real vitest run. */
import { expect, test } from 'vitest';
import { runTests } from '../../scripts/requirements/run-tests.ts';

const config = new URL('./fixtures/vitest.config.ts', import.meta.url).pathname;

test('the report lists which citations ran, passed and ran a matcher before they ended', () => {
  const { report } = runTests(['--config', config]);
  const listed = report?.citations.map(({ test: name, state, matchers, ids }) => [
    name.replace(/^.*citing\.case\.ts > /, '').replace(/ \[.*$/, ''),
    state,
    matchers > 0,
    ids.length,
  ]);
  expect(listed).toEqual([
    ['asserts', 'passed', true, 1],
    ['asserts later', 'passed', true, 2],
    ['asserts with the expect of its context', 'passed', true, 1],
    ['asserts in a property', 'passed', true, 1],
    ['asserts nothing', 'failed', false, 1],
    ['calls expect without a matcher', 'failed', false, 1],
    ['asserts after its end', 'failed', false, 1],
    ['waits for the late matcher', 'passed', true, 1],
    ['does not await a matcher', 'failed', true, 1],
    ['asserts something false', 'failed', false, 1],
    ['rejects', 'failed', false, 1],
    ['leaves early', 'skipped', false, 1],
    ['a skipped suite > never runs', 'skipped', false, 1],
    ['cites an unknown requirement', 'failed', false, 1],
    ['cites nothing', 'failed', false, 0],
  ]);
  expect(report).toMatchObject({ passed: 5, failed: 8, skipped: 2, broken: [] });
});
