/** Tests that a state change and its trace are written together or not at all. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { holds, outage } from './journals.ts';
import { fold, kernelOf, pathOf } from './kernel.ts';

const ID = 'graph:state-update:transactional-and-traced';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies(ID, 'writes both and continues with the completion check', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const events = await bench.events(runId);
  const path = pathOf(env, events);
  expect(path[path.indexOf('state_update') + 1]).toBe('completion_check');
  expect(env.graph.exits('state_update')).toEqual(['completion_check', 'human_approval', 'terminate']);
  const committed = events.findIndex(({ type }) => type === 'step_committed');
  const states = fold(env, events);
  expect(states[committed]?.work.version).toBe(0);
  expect(states[committed + 1]?.work).toMatchObject({ version: 1, evidenceByType: { done: 'ev_1' } });
  expect(events[committed]).toMatchObject({ version: 1, evidence_id: 'ev_1', call_id: 'call_1' });
});

verifies(ID, 'keeps the old state if the trace cannot be appended', async () => {
  const { journal, store, refused } = outage(holds('step_committed'), Number.POSITIVE_INFINITY);
  const bench = rig({ ...OPTIONS, world: { journal } });
  const ended = await bench.invoke();
  expect(refused()).toBeGreaterThan(0);
  expect(ended.terminalCode).toBe('UNAVAILABLE_DEP');
  const elsewhere = rig({ ...OPTIONS, world: { journal: store } });
  const state = fold(kernelOf(OPTIONS), await elsewhere.events(ended.runId)).at(-1);
  expect(state?.work).toMatchObject({ version: 0, evidenceByType: {} });
  expect(state?.work.evidence.size).toBe(0);
});
