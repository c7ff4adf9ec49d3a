/** Tests that the acceptance criteria decide whether a run is complete, not the claim of a model. */
import { expect } from 'vitest';
import type { Critic } from '../../../src/kernel/machine/derive.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigOptions, rig } from '../rig.ts';
import { expectShut } from './edges.ts';
import { before, kernelOf, pathOf, turn, turnsOf } from './kernel.ts';

const ID = 'graph:completion-check:external-stop-condition';
const OPTIONS: RigOptions = {
  tools: { read: { execute: () => ({ done: true, goal: 'reached' }) }, finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'read' }]), planOf([{ id: 'b', tool: 'finish' }], { plan_id: 'plan_2' })],
};

verifies(ID, 'plans again if criteria are unmet and budget is left, and finalizes if they are met', async () => {
  const bench = rig(OPTIONS);
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('SUCCESS');
  const path = pathOf(kernelOf(OPTIONS), await bench.events(outcome.runId));
  const exits = path.flatMap((node, place) => (node === 'completion_check' ? [path[place + 1]] : []));
  expect(exits).toEqual(['plan', 'finalize']);
  expect(bench.planner.requests[1]?.reason).toMatchObject({ code: 'criteria_unmet', detail: { unmet: ['finished'] } });
});

verifies(ID, 'refuses a finalize transition that a model requests too early', async () => {
  const options: RigOptions = { ...OPTIONS, options: { graph: 'reactive' } };
  const bench = rig(options);
  const { runId } = await bench.invoke();
  const env = turnsOf(options);
  const state = before(env.env, await bench.events(runId), 'run_judged');
  expect(state.position.node).toBe('completion_check');
  expectShut(env.env, state, 'completion_check', 'finalize');
  const { state: after, events } = turn(env, state, { type: 'transition_requested', to: 'finalize' });
  expect(after.position.node).toBe('completion_check');
  expect(events.at(-1)).toMatchObject({ type: 'violation_noted', why: 'guard_does_not_hold' });
});

verifies(ID, 'escalates conflicting sources to a person', async () => {
  const options: RigOptions = { ...OPTIONS, caps: { ...CAPS, reflection_passes_max: 0 } };
  const bench = rig(options);
  const { runId } = await bench.invoke();
  const env = turnsOf(options);
  const events = await bench.events(runId);
  const conflict = { kind: 'source_conflict', severity: 'high', detail: 'the prices differ' } as const;
  const critic: Critic = {
    ...env.critic,
    judgeStep: (facts) => ({ ...env.critic.judgeStep(facts), findings: [conflict] }),
  };
  const observed = events.find((event) => event.type === 'step_observed');
  if (observed === undefined) throw new Error('nothing was observed');
  const { state } = turn({ ...env, critic }, before(env.env, events, 'step_observed'), observed);
  expect(state).toMatchObject({
    position: { node: 'human_approval' },
    session: { status: 'paused' },
    people: { escalation: { stop: { code: 'SOURCE_CONFLICT' } } },
  });
});
