/** A stepwise run has a cap on steps in addition to its budget. */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { of } from '../planning/bench.ts';
import { CAPS } from '../rig.ts';
import { decide, reactiveBench } from './bench.ts';

const TOOLS = { look: {}, finish: { produces: ['done'] } };
const MANY = {
  ...CAPS,
  steps_max: 500,
  tool_calls_max: 500,
  external_api_calls_max: 500,
  input_tokens_max: 10_000_000,
  output_tokens_max: 10_000_000,
  wall_clock_seconds_max: 100_000,
};
const repeatLook = (count: number): object[] => Array.from({ length: count }, (_, n) => decide('look', { n }));

verifies(
  ['route:reactive:max-iterations-third', 'route:reactive:after-capability-back', 'route:reactive:dispatch-fifth'],
  'ends after one step more than a hundred',
  async () => {
    const bench = reactiveBench(repeatLook(101), { tools: TOOLS, caps: MANY });
    const run = await bench.invoke();
    expect(run).toMatchObject({
      status: 'failed',
      terminalCode: 'BUDGET_EXHAUSTED',
      reason: 'max_iterations_exceeded',
    });
    // Every step was dispatched, and each except the last returned to the planner.
    expect(bench.dispatches).toHaveLength(101);
    bench.model.assertDrained();
    const [end] = of(await bench.events(run.runId), 'run_terminated');
    expect(end?.detail).toMatchObject({ dimension: 'react_steps', used: 101, limit: 100 });
    await bench.runtime.records.replay(run.runId);
  },
);

verifies('route:reactive:max-iterations-third', 'the planner sets the cap', async () => {
  const bench = reactiveBench(repeatLook(6), { tools: TOOLS, caps: MANY, reactive: { maxSteps: 5 } });
  expect(await bench.invoke()).toMatchObject({ reason: 'max_iterations_exceeded' });
  expect(bench.dispatches).toHaveLength(6);
});

test('the last permitted step may still meet the goal', async () => {
  const bench = reactiveBench([...repeatLook(5), decide('finish')], {
    tools: TOOLS,
    caps: MANY,
    reactive: { maxSteps: 5 },
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a failure past the cap goes to the planner, and the next decision is not sent', async () => {
  const broken = {
    ...TOOLS,
    shut: {
      retries_max: 0,
      execute: () => {
        throw new Error('shut');
      },
    },
  };
  const turns = [...repeatLook(5), decide('shut'), decide('finish')];
  const bench = reactiveBench(turns, { tools: broken, caps: MANY, reactive: { maxSteps: 5 } });
  expect(await bench.invoke()).toMatchObject({ reason: 'max_iterations_exceeded' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look', 'look', 'look', 'look', 'look', 'shut']);
  bench.model.assertDrained();
});
