/** Planner, executor and critic must agree before the run moves on. */
import { expect } from 'vitest';
import type { Critic } from '../../../src/kernel/machine/derive.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { createHost } from '../../../src/session/host.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, kernelOf, offer, partsOf } from '../graphs/kernel.ts';
import { planOf, REQUEST, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 's1', tool: 'read' },
      { id: 's2', tool: 'finish', depends_on: ['s1'] },
    ]),
  ],
};

async function runJudgedBy(changes: Partial<Critic>): Promise<RunState> {
  const parts = partsOf(OPTIONS);
  const run = await createHost({ ...parts, critic: { ...parts.critic, ...changes } }).start(REQUEST);
  return await run.runUntilIdle();
}

verifies('decide:triad:unanimous-progress', 'the next step cannot start before the critic has judged', async () => {
  const env = kernelOf(OPTIONS);
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  const unjudged = before(env, events, 'step_judged');
  expect(unjudged.current).toMatchObject({ stepId: 's1', rung: 'committed' });
  expect(unjudged.ending.inFlight).toBeNull();
  const next = events.find((event) => event.type === 'step_cleared' && event.step_id === 's2');
  if (next === undefined) throw new Error('s2 never ran');
  const [unmoved, effects, fault] = offer(env, unjudged, next);
  expect(fault?.code).toBe('step_not_verified');
  expect([unmoved, effects]).toEqual([unjudged, []]);
});

verifies('decide:triad:unanimous-progress', 'a critic that fails to judge stops the run', async () => {
  const state = await runJudgedBy({
    judgeStep: () => {
      throw new Fault('evaluator_failed', 'no verdict');
    },
  });
  expect(state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'evaluator_failed' });
  expect(state.counters.calls).toBe(1);
});

verifies('decide:triad:unanimous-progress', 'a critic that rejects a step stops the run there', async () => {
  const state = await runJudgedBy({
    judgeStep: () => ({ scores: { policy: 0, utility: 1 }, criteria: [], findings: [] }),
  });
  expect(state.session.status).toBe('paused');
  expect(state.counters.calls).toBe(1);
});
