/** Steps run in the order of their dependencies, and one that fails takes down only what depends on it. */
import { expect } from 'vitest';
import { assocGet } from '../../../src/kernel/assoc.ts';
import type { PlanStep } from '../../../src/model/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const CHAIN: readonly PlanStep[] = [
  { id: 's3', tool: 'third', depends_on: ['s2'] },
  { id: 's1', tool: 'first' },
  { id: 's2', tool: 'second', depends_on: ['s1'] },
];

function benchWhere(broken: string | null, steps: readonly PlanStep[] = CHAIN): Rig {
  const execute = (name: string) => () => {
    if (name === broken) throw new Error(`${name} is down`);
    return { said: name };
  };
  return rig({
    tools: {
      first: { retries_max: 0, execute: execute('first') },
      second: { retries_max: 0, execute: execute('second') },
      third: { retries_max: 0, execute: execute('third'), produces: ['done'] },
    },
    plans: [planOf(steps), planOf([{ id: 's4', tool: 'third', params: { again: true } }], { plan_id: 'plan_2' })],
    caps: { ...CAPS, replan_attempts_max: 1 },
  });
}

const called = (bench: Rig): readonly string[] => bench.dispatches.map(({ tool }) => tool);

verifies('execute:order:respects-dependencies', 'parents before children, however the plan lists them', async () => {
  const bench = benchWhere(null);
  await bench.invoke();
  expect(called(bench)).toEqual(['first', 'second', 'third']);
});

verifies('execute:order:respects-dependencies', 'without the parent no child ever starts', async () => {
  const bench = benchWhere('first');
  const { runId } = await bench.invoke();
  expect(called(bench)).toEqual(['first', 'third']);
  const attempted = (await bench.events(runId)).flatMap((event) => (event.type === 'step_attempted' ? [event] : []));
  expect(attempted.map(({ step_id }) => step_id)).toEqual(['s1', 's4']);
});

verifies(
  'execute:failure:isolates-step',
  'what was done stays done, the failure is marked, its dependents wait, and the planner has control',
  async () => {
    const bench = benchWhere('second');
    const { runId, record } = await bench.invoke();
    expect(called(bench)).toEqual(['first', 'second', 'third']);
    expect(bench.planner.requests[1]?.reason).toMatchObject({ step_id: 's2', code: 'error' });
    const events = await bench.events(runId);
    expect(events.filter((event) => event.type === 'step_verified').map(({ ok }) => ok)).toEqual([true, false, true]);
    const { state } = await bench.runtime.replay(runId);
    const { steps } = state.work.carried;
    const fact = { value: { said: 'first' }, evidenceId: 'ev_1', source: 'first', trusted: true };
    expect(assocGet(steps, 's1')?.fact).toEqual(fact);
    expect(assocGet(steps, 's2')).toBeUndefined();
    expect(record?.evidence_refs).toEqual(['ev_1', 'ev_2']);
  },
);

verifies('execute:failure:isolates-step', 'secondary work that fails is named, and the rest goes on', async () => {
  const bench = benchWhere('second', [
    { id: 's1', tool: 'first' },
    { id: 's2', tool: 'second', depends_on: ['s1'], optional: true },
    { id: 's3', tool: 'first', params: { n: 2 }, depends_on: ['s2'] },
    { id: 's4', tool: 'third', depends_on: ['s1'] },
  ]);
  const { runId, terminalCode } = await bench.invoke();
  expect(called(bench)).toEqual(['first', 'second', 'third']);
  expect(terminalCode).toBe('PARTIAL_SUCCESS');
  const { state } = await bench.runtime.replay(runId);
  expect(state.work.unresolved).toEqual(['s2', 's3']);
});
