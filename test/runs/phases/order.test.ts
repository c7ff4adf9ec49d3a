/** The phases of a run, each with its inputs, validity and handoff. */
import { expect } from 'vitest';
import { PHASES, type PhaseName } from '../../../src/model/plan/phase.ts';
import { verifies } from '../../requirements/verifies.ts';
import { fold, kernelOf, offer } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { phaseOutOfOrder } from './phase-order.ts';

const ID = 'intake:phases:eighteen-in-order';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};
const CONDITIONAL: readonly PhaseName[] = ['reflection_trigger', 'escalation_check'];

verifies(ID, 'a run with one tool passes every mandatory phase in order, with a handoff each', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const phases = await bench.runtime.records.phases(runId);
  expect(PHASES).toHaveLength(18);
  expect(phases.map(({ phase }) => phase)).toEqual(
    PHASES.map(({ name }) => name).filter((name) => !CONDITIONAL.includes(name)),
  );
  for (const { phase, inputs, valid, artifact, handoff } of phases) {
    expect([phase, valid, handoff === null]).toEqual([phase, true, false]);
    expect(artifact).toBe(PHASES.find(({ name }) => name === phase)?.artifact);
    expect(inputs.length > 0).toBe(phase !== 'goal_intake');
  }
});

verifies(ID, 'phases seven to fourteen repeat, and a repair passes phase thirteen', async () => {
  const bench = rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'read', params: { n: 2 }, depends_on: ['a'] },
      ]),
      planOf([{ id: 'c', tool: 'finish' }], { plan_id: 'plan_2' }),
    ],
  });
  const { runId } = await bench.invoke();
  const phases = await bench.runtime.records.phases(runId);
  const names = phases.map(({ phase }) => phase);
  expect(phaseOutOfOrder(phases)).toBeNull();
  for (const once of ['goal_intake', 'plan_selection', 'budget_assign', 'final_response', 'trace_logging']) {
    expect(names.filter((name) => name === once)).toHaveLength(1);
  }
  expect(names.filter((name) => name === 'state_update')).toHaveLength(3);
  expect(names.filter((name) => name === 'reflection_trigger')).toHaveLength(1);
});

verifies(ID, 'detects a phase that is missing, reversed or repeated', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const phases = await bench.runtime.records.phases(runId);
  for (const [place, { phase }] of phases.entries()) {
    // A run may end after any phase, so the last two may be missing.
    if (phase === 'memory_write' || phase === 'trace_logging') continue;
    expect([phase, phaseOutOfOrder(phases.toSpliced(place, 1)) === null]).toEqual([phase, false]);
  }
  expect(phaseOutOfOrder([...phases, ...phases.slice(-1)])).toMatchObject({ why: expect.stringContaining('closed') });
  expect(phaseOutOfOrder(phases.toReversed())).not.toBeNull();
});

verifies(ID, 'without the handoff of a phase the next one does not start', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const env = kernelOf(OPTIONS);
  for (let left = 0; left < events.length - 1; left += 1) {
    const state = fold(env, events.slice(0, left)).at(-1);
    const next = events[left + 1];
    if (state === undefined || next === undefined) throw new Error('nothing to offer');
    const [same, effects, fault] = offer(env, state, next);
    expect([events[left]?.type, next.type, fault === undefined]).toEqual([events[left]?.type, next.type, false]);
    expect([same === state, effects]).toEqual([true, []]);
  }
});
