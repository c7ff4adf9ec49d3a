/** Tests the order of the stages of a run. */
import { expect } from 'vitest';
import type { EventType } from '../../../src/model/events/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const STAGES: Partial<Record<EventType, string>> = {
  plan_proposed: 'plan',
  plan_verified: 'verify',
  step_attempted: 'execute',
  step_observed: 'execute',
  step_verified: 'execute',
  step_committed: 'execute',
  step_judged: 'score',
  run_judged: 'score',
  memory_proposed: 'consolidate',
};

verifies(
  'plan:lifecycle:stage-order',
  'plans, verifies, executes, scores and consolidates in this order; the verdict ends scoring',
  async () => {
    const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'finish' }])] });
    const { runId, verdict } = await bench.invoke();
    const types = (await bench.events(runId)).map(({ type }) => type);
    const stages = types.flatMap((type) => STAGES[type] ?? []);
    const entered = stages.filter((stage, index) => stage !== stages[index - 1]);
    expect(entered).toEqual(['plan', 'verify', 'execute', 'score', 'consolidate']);
    expect(verdict?.verdict).toBe('accept');
    expect(types.slice(types.indexOf('run_judged'))).toEqual([
      'run_judged',
      'response_compiled',
      'memory_proposed',
      'run_terminated',
    ]);
  },
);
