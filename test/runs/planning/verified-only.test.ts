/** Tests that only steps of a verified plan run. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { CLEAN } from '../../../src/model/evidence/origin.ts';
import { address } from '../../../src/model/json/hash.ts';
import { authorizeStepCall } from '../../../src/session/perform/authorize-call.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, kernelOf, offer, partsOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'finish' }])],
};

const cleared = (step_id: string) =>
  ({ type: 'step_cleared', step_id, args: {}, args_hash: address(sha256, {}), mode: 'read_only', gates: [] }) as const;

verifies('execute:steps:verified-only', 'rejects a step that is not in the verified plan', async () => {
  const env = kernelOf(OPTIONS);
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const selecting = before(env, await bench.events(runId), 'step_cleared');
  const [unmoved, effects, fault] = offer(env, selecting, cleared('s9'));
  expect(fault?.code).toBe('step_not_verified');
  expect(unmoved).toBe(selecting);
  expect(effects).toEqual([]);
  expect(offer(env, selecting, cleared('s1'))[2]).toBeUndefined();
});

verifies('execute:steps:verified-only', 'clears only the current step', async () => {
  const { pins } = partsOf(OPTIONS);
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const selecting = before(pins.env, await bench.events(runId), 'step_cleared');
  const call = { tool: 'finish', args: {}, args_hash: address(sha256, {}), attempt: 1, origin: CLEAN } as const;
  const clear = (step_id: string) => authorizeStepCall(pins, [], selecting, { kind: 'clear_step', step_id, ...call });
  expect(() => clear('s9')).toThrow(expect.objectContaining({ code: 'step_not_verified' }));
  expect(clear('s1')).toMatchObject({ type: 'step_cleared', step_id: 's1' });
});

verifies('verify:order:before-execute', 'rejects a step of a plan without an ok verdict', async () => {
  const env = kernelOf(OPTIONS);
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  for (const moment of ['plan_proposed', 'plan_verified'] as const) {
    const state = before(env, events, moment);
    const [unmoved, effects, fault] = offer(env, state, cleared('s1'));
    expect(fault?.code).toBe('plan_not_verified');
    expect(unmoved).toBe(state);
    expect(effects).toEqual([]);
  }
});

verifies('verify:order:before-execute', 'calls no tool for a plan that failed verification', async () => {
  const bad = planOf([
    { id: 's1', tool: 'read' },
    { id: 's2', tool: 'finish', depends_on: ['s9'] },
  ]);
  const bench = rig({ ...OPTIONS, plans: [bad, bad, bad] });
  await bench.invoke();
  expect(bench.planner.requests).toHaveLength(3);
  expect(bench.dispatches).toEqual([]);
});
