/** A verdict of retry repeats the same step of the same plan. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { fold, kernelOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

function flaky(failures: number): RigOptions {
  let left = failures;
  return {
    tools: {
      read: {},
      post: {
        produces: ['done'],
        execute: () => {
          if (left-- > 0) throw new Error('connection reset');
          return { ok: true };
        },
      },
    },
    plans: [
      planOf([
        { id: 's1', tool: 'read' },
        { id: 's2', tool: 'post', depends_on: ['s1'] },
      ]),
    ],
  };
}

verifies(
  'decide:retry:same-step-within-budget',
  'retries once, charges it, and does not call the planner',
  async () => {
    const options = flaky(1);
    const bench = rig(options);
    const { runId, verdict, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'post', 'post']);
    expect(bench.planner.requests).toHaveLength(1);
    expect(verdict).toMatchObject({ plan_id: 'plan_1', replan_attempts: 0 });
    const events = await bench.events(runId);
    const again = events.findLastIndex((event) => event.type === 'step_attempted');
    const retrying = fold(kernelOf(options), events.slice(0, again)).at(-1);
    expect(retrying?.budget?.retries_in_a_row).toBe(1);
    expect(retrying?.current).toMatchObject({ stepId: 's2', attempt: 2 });
    expect(retrying?.planning.active?.plan.plan_id).toBe('plan_1');
  },
);

verifies('decide:retry:same-step-within-budget', 'every attempt carries the idempotency key of the first', async () => {
  const bench = rig(flaky(2));
  await bench.invoke();
  const keys = bench.dispatches.filter(({ tool }) => tool === 'post').map(({ key }) => key);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});
