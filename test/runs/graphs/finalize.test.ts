/** Tests that a successful run does not pass through an escalation. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { expectNoEdge } from './edges.ts';
import { before, kernelOf, pathOf } from './kernel.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies(
  'graph:finalize:success-never-via-escalate',
  'goes from completion check to finalize to terminate',
  async () => {
    const bench = rig(OPTIONS);
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).toBe('SUCCESS');
    const env = kernelOf(OPTIONS);
    const events = await bench.events(outcome.runId);
    const path = pathOf(env, events);
    expect(path.slice(-3)).toEqual(['completion_check', 'finalize', 'terminate']);
    expect(path).not.toContain('human_approval');
    expect(events.map(({ type }) => type)).not.toContain('run_escalated');
    const state = before(env, events, 'response_compiled');
    expectNoEdge(env, state, 'finalize', 'plan');
    expectNoEdge(env, state, 'finalize', 'human_approval');
    expect(env.graph.exits('finalize')).toEqual(['terminate']);
  },
);
