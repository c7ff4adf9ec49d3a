/** Tests that nothing is planned before the manifest of the run is stored. */
import { expect } from 'vitest';
import { BOUNDARY_DIMENSIONS } from '../../../src/model/policy/boundary.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { holds, outage } from './journals.ts';
import { before, kernelOf, pathOf } from './kernel.ts';

const ID = 'graph:state-init:manifest-before-plan';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies(ID, 'task state, trace, budget and boundary exist before planning', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const state = before(kernelOf(OPTIONS), await bench.events(runId), 'plan_proposed');
  expect(state).toMatchObject({ position: { node: 'plan' }, id: { traceId: 'trace_1' }, work: { version: 0 } });
  expect(state.budget?.caps).toEqual(state.manifest?.budget_caps);
  expect(Object.keys(state.manifest?.autonomy_boundary ?? {})).toEqual(
    expect.arrayContaining([...BOUNDARY_DIMENSIONS]),
  );
});

verifies(ID, 'ends the run before planning if the manifest cannot be stored', async () => {
  const { journal, refused } = outage(holds('run_initialized'), Number.POSITIVE_INFINITY);
  const bench = rig({ ...OPTIONS, world: { journal } });
  const outcome = await bench.invoke();
  expect(refused()).toBe(1);
  expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'UNAVAILABLE_DEP', reason: 'store_unavailable' });
  const path = pathOf(kernelOf(OPTIONS), await bench.events(outcome.runId));
  expect(path.slice(-2)).toEqual(['state_init', 'terminate']);
  expect(bench.planner.requests).toEqual([]);
});

verifies(ID, 'starts no run if nothing can be stored', async () => {
  const { journal, store } = outage(() => true, Number.POSITIVE_INFINITY);
  const bench = rig({ ...OPTIONS, world: { journal } });
  await expect(bench.invoke()).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await store.list({})).toEqual([]);
  expect(bench.planner.requests).toEqual([]);
});
