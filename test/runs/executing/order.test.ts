/** Tests that steps run in dependency order and that a failure stops only its dependents. */
import { expect } from 'vitest';
import { assocGet } from '../../../src/kernel/state/assoc.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
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
    return { text: name };
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

verifies('execute:order:respects-dependencies', 'runs parents before children in any plan order', async () => {
  const bench = benchWhere(null);
  await bench.invoke();
  expect(called(bench)).toEqual(['first', 'second', 'third']);
});

verifies('execute:order:respects-dependencies', 'never starts the child of a failed parent', async () => {
  const bench = benchWhere('first');
  const { runId } = await bench.invoke();
  expect(called(bench)).toEqual(['first', 'third']);
  const attempted = (await bench.events(runId)).flatMap((event) => (event.type === 'step_attempted' ? [event] : []));
  expect(attempted.map(({ step_id }) => step_id)).toEqual(['s1', 's4']);
});

verifies(
  'execute:failure:isolates-step',
  'keeps committed steps, marks the failed one, skips its dependents, and asks the planner',
  async () => {
    const bench = benchWhere('second');
    const { runId, record } = await bench.invoke();
    expect(called(bench)).toEqual(['first', 'second', 'third']);
    expect(bench.planner.requests[1]?.reason).toMatchObject({ step_id: 's2', code: 'error' });
    const events = await bench.events(runId);
    expect(events.filter((event) => event.type === 'step_verified').map(({ ok }) => ok)).toEqual([true, false, true]);
    const { state } = await bench.runtime.records.replay(runId);
    const { steps } = state.work.carried;
    const fact = { value: { text: 'first' }, evidenceId: 'ev_1', source: 'first', trusted: true };
    expect(assocGet(steps, 's1')?.fact).toEqual(fact);
    expect(assocGet(steps, 's2')).toBeUndefined();
    expect(record?.evidence_refs).toEqual(['ev_1', 'ev_2']);
  },
);

verifies(
  'execute:failure:isolates-step',
  'reports a failed optional step and its dependents as unresolved, and runs the rest',
  async () => {
    const bench = benchWhere('second', [
      { id: 's1', tool: 'first' },
      { id: 's2', tool: 'second', depends_on: ['s1'], optional: true },
      { id: 's3', tool: 'first', params: { n: 2 }, depends_on: ['s2'] },
      { id: 's4', tool: 'third', depends_on: ['s1'] },
    ]);
    const { runId, terminalCode } = await bench.invoke();
    expect(called(bench)).toEqual(['first', 'second', 'third']);
    expect(terminalCode).toBe('PARTIAL_SUCCESS');
    const { state } = await bench.runtime.records.replay(runId);
    expect(state.work.unresolved).toEqual(['s2', 's3']);
  },
);
