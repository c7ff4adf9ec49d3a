/** Tests that a new plan resets the progress and error state of the old one. */
import { expect } from 'vitest';
import { step } from '../../../src/kernel/machine/step.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { fold, kernelOf } from '../graphs/kernel.ts';
import { operator, planOf, type RigOptions, rig } from '../rig.ts';

const FIRST: Plan = planOf([
  { id: 's1', tool: 'read', params: { n: 1 } },
  { id: 's2', tool: 'read', params: { n: 2 } },
  { id: 's3', tool: 'read', params: { n: 3 } },
  { id: 's4', tool: 'post' },
]);
const SECOND: Plan = planOf([{ id: 's5', tool: 'finish' }], { plan_id: 'plan_2' });

const optionsOn = (graph: 'plan_first' | 'supervised'): RigOptions => ({
  tools: {
    read: {},
    post: {
      retries_max: 2,
      execute: () => {
        throw new Error('down');
      },
    },
    finish: { produces: ['done'] },
  },
  plans: [FIRST, SECOND],
  options: { graph },
});

/** Plan position, error, error message and retry count of a state. */
const progressOf = ({ work, planning, budget }: RunState) => ({
  index: work.cursor,
  error: planning.reason !== null,
  info: planning.reason?.message ?? null,
  retries: budget?.retries_in_a_row,
});

verifies(
  ['planfirst:state:cleanup-on-new-plan', 'planfirst:state:plans-created-counter'],
  'a replan resets index, error and retries, and is counted',
  async () => {
    const options = optionsOn('plan_first');
    const env = kernelOf(options);
    const bench = rig(options);
    const { runId } = await bench.invoke();
    const events = await bench.events(runId);
    const second = events.findLastIndex((event) => event.type === 'plan_verified');
    const states = fold(env, events);
    expect(states[0]?.planning.plansCreated).toBe(0);
    const before = states[second];
    const verified = events[second];
    if (before === undefined || verified === undefined) throw new Error('there was no second plan');
    expect(progressOf(before)).toEqual({ index: 3, error: true, info: expect.stringContaining('down'), retries: 2 });
    const [after] = step(env, before, verified);
    expect(progressOf(after)).toEqual({ index: 0, error: false, info: null, retries: 0 });
    expect([before.planning.plansCreated, after.planning.plansCreated]).toEqual([1, 2]);
  },
);

verifies(
  ['planfirst:state:cleanup-on-new-plan', 'planfirst:state:plans-created-counter'],
  'a plan that a person approves resets them and is counted, too',
  async () => {
    const bench = rig(optionsOn('supervised'));
    const approve = async (): Promise<void> => {
      const [gate] = (await bench.runtime.sessions.get('run_1')).pending;
      const { gateId, packetHash } = gate ?? { gateId: '', packetHash: '' };
      await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' }));
    };
    await bench.invoke();
    await approve();
    const { state: waiting } = await bench.runtime.records.replay('run_1');
    expect(waiting.planning).toMatchObject({ plansCreated: 2, approved: false });
    expect(progressOf(waiting)).toEqual({ index: 0, error: false, info: null, retries: 0 });
    await approve();
    expect(await bench.runtime.sessions.get('run_1')).toMatchObject({ terminalCode: 'SUCCESS' });
    const { state: done } = await bench.runtime.records.replay('run_1');
    expect(done.planning.plansCreated).toBe(2);
  },
);
