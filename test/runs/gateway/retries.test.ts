/**
 * Tests retries: they are limited per step and per run, and their pauses are randomised so that runs do not retry at
 * the same time.
 */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const down = (): never => {
  throw new Error('down');
};
const ONE = planOf([{ id: 'a', tool: 'first' }]);

verifies(
  'gateway:retry:bounded-per-step',
  'calls a step with two retries three times, then hands over with retry_budget_exhausted',
  async () => {
    const bench = rig({
      tools: { first: { retries_max: 2, execute: down, produces: ['done'] } },
      plans: [ONE],
      caps: { ...CAPS, retry_count_max: 10, replan_attempts_max: 0 },
    });
    const run = await bench.invoke();
    expect(bench.dispatches).toHaveLength(3);
    expect(run.suspended).toMatchObject({ detail: { cause: 'retry_budget_exhausted', scope: 'step' } });
  },
);

verifies(
  'gateway:retry:bounded-per-workflow',
  'denies the fourth retry of a run with three, although the step has one left',
  async () => {
    const plan = planOf([
      { id: 'a', tool: 'first', optional: true },
      { id: 'b', tool: 'second' },
    ]);
    const bench = rig({
      tools: {
        first: { retries_max: 2, execute: down },
        second: { retries_max: 2, execute: down, produces: ['done'] },
      },
      plans: [plan],
      caps: { ...CAPS, retry_count_max: 10, replan_attempts_max: 0 },
      options: { limits: { retriesPerRunMax: 3 } },
    });
    const run = await bench.invoke();
    expect(callsOf(bench)).toEqual(['first', 'first', 'first', 'second', 'second']);
    expect(run.suspended).toMatchObject({ detail: { cause: 'retry_budget_exhausted', scope: 'workflow' } });
  },
);

test('reports to the planner that the step has no retry left', async () => {
  const bench = rig({
    tools: { first: { retries_max: 0, execute: down, produces: ['done'] } },
    plans: [ONE],
  });
  await bench.invoke();
  expect(bench.planner.requests[1]?.reason?.detail).toMatchObject({ cause: 'retry_budget_exhausted', scope: 'step' });
});

test('bounds pauses by a doubling limit, varies them between runs, and derives them again identically', async () => {
  const pauses = await Promise.all([...'abcdefgh'].map(pausesOf));
  for (const waited of pauses)
    for (const [place, pause] of waited.entries()) expect(pause).toBeLessThanOrEqual(200 * 2 ** place);
  expect(new Set(pauses.map(([first]) => first)).size).toBeGreaterThan(4);
  expect(await pausesOf('a')).toEqual(pauses[0]);
});

async function pausesOf(word: string): Promise<readonly number[]> {
  const bench = rig({
    tools: { first: { retries_max: 3, execute: down, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'first', params: { word } }])],
  });
  const { runId } = await bench.invoke();
  await bench.runtime.records.replay(runId);
  const at = bench.dispatches.map((dispatch) => dispatch.at);
  return at.slice(1).map((time, place) => time - (at[place] ?? 0));
}

const callsOf = ({ dispatches }: Rig): readonly string[] => dispatches.map(({ tool }) => tool);
