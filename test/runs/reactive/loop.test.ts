/** Each step is decided, executed and observed before the next is decided. */
import { expect, test } from 'vitest';
import { NO_REACT } from '../../../src/kernel/state/react-state.ts';
import { verifies } from '../../requirements/verifies.ts';
import { of, plan, plannedStep, planningBench, verifiedPlans } from '../planning/bench.ts';
import { decide, messagesIn, reactiveBench, respond, shownTo } from './bench.ts';

const TOOLS = {
  look_up: { execute: () => ({ order: 'ord_881', total: 1200 }), produces: ['order'] },
  tell: { produces: ['done'] },
};
const TWO = [decide('look_up', { id: 'o1' }, { context_key: 'order' }), decide('tell', { amount: 1200 })];

verifies(
  ['reactive:loop:observe-between-steps', 'reactive:plan:single-step'],
  'the second decision sees the first observation, and each plan has one step',
  async () => {
    const bench = reactiveBench(TWO, { tools: TOOLS });
    const run = await bench.invoke();
    expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
    expect(bench.model.prompts).toHaveLength(2);
    expect(shownTo(bench.model, 0)).not.toContain('ord_881');
    expect(shownTo(bench.model, 1)).toContain('"order":"ord_881"');
    const plans = verifiedPlans(await bench.events(run.runId));
    expect(plans.map((steps) => steps.map(({ tool }) => tool))).toEqual([['look_up'], ['tell']]);
    await bench.runtime.records.replay(run.runId);
  },
);

verifies('reactive:plan:single-step', 'respond and clarify are single-step decisions', async () => {
  const open = { tell: { produces: ['done'] } };
  const bench = reactiveBench([decide('RESPOND', { objective: 'all done' }), decide('tell')], { tools: open });
  const run = await bench.invoke();
  const [first] = verifiedPlans(await bench.events(run.runId));
  expect(first?.map(({ tool }) => tool)).toEqual(['respond']);

  const asking = reactiveBench([decide('clarify', { question: 'Which order?', fields: ['order'] })], { tools: open });
  const asked = await asking.invoke();
  const [only, ...others] = verifiedPlans(await asking.events(asked.runId));
  expect(only?.map(({ tool }) => tool)).toEqual(['clarify']);
  expect(others).toEqual([]);
  expect(asked).toMatchObject({ status: 'paused', question: { fields: ['order'] } });
});

verifies('reactive:state:messages-accumulate', 'two decisions and their observations are four messages', async () => {
  const bench = reactiveBench(TWO, { tools: TOOLS });
  const run = await bench.invoke();
  const states = await bench.states(run.runId);
  expect(messagesIn(states.at(-1))).toMatchObject([
    { kind: 'decision', step: { id: 'r1', tool: 'look_up' } },
    { kind: 'observation', step_id: 'r1', outcome: 'ok', value: { order: 'ord_881', total: 1200 } },
    { kind: 'decision', step: { id: 'r2', tool: 'tell' } },
    { kind: 'observation', step_id: 'r2', outcome: 'ok' },
  ]);
});

verifies('reactive:state:step-counter', 'counts every executed step, and nothing else', async () => {
  const steps = [decide('look_up', { id: 'o1' }), decide('look_up', { id: 'o2' }), decide('tell')];
  const bench = reactiveBench(steps, { tools: TOOLS });
  const run = await bench.invoke();
  const states = await bench.states(run.runId);
  expect([...new Set(states.map(({ react }) => react.stepCount))]).toEqual([0, 1, 2, 3]);
});

verifies(
  'reactive:state:reset-per-invocation',
  'a second run starts without messages and steps, and a run with a complete plan never has any',
  async () => {
    const bench = reactiveBench([...TWO, ...TWO], { tools: TOOLS });
    const first = await bench.invoke();
    const second = await bench.invoke();
    expect(second.runId).not.toBe(first.runId);
    const [start] = await bench.states(second.runId);
    expect(start?.react).toMatchObject({ stepCount: 0, error: null });
    expect(messagesIn(start)).toEqual([]);
    expect(shownTo(bench.model, 2)).not.toContain('ord_881');
    expect(messagesIn((await bench.states(second.runId)).at(-1))).toHaveLength(4);

    const planFirstBench = planningBench(
      [plan(plannedStep('s1', 'look_up', { id: 'o1' }), plannedStep('s2', 'tell'))],
      {
        tools: TOOLS,
      },
    );
    const planned = await planFirstBench.invoke();
    expect(planned).toMatchObject({ terminalCode: 'SUCCESS' });
    const { turns } = await planFirstBench.runtime.records.replay(planned.runId);
    expect(turns.length).toBeGreaterThan(2);
    for (const { state } of turns) expect(state.react).toBe(NO_REACT);
  },
);

verifies('reactive:plan:single-step', 'takes only the first of several steps, and records the violation', async () => {
  const both = { steps: [...(TWO[0] as { steps: object[] }).steps, ...(TWO[1] as { steps: object[] }).steps] };
  const bench = reactiveBench([both, TWO[1] as object], { tools: TOOLS });
  const run = await bench.invoke();
  const events = await bench.events(run.runId);
  expect(verifiedPlans(events).map((steps) => steps.length)).toEqual([1, 1]);
  expect(of(events, 'violation_noted')).toMatchObject([{ violation: 'proposal', subject: 'a plan of 2 steps' }]);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look_up', 'tell']);
  await bench.runtime.records.replay(run.runId);
});

test('a model that answers before the goal is met plans again within the replan budget', async () => {
  const bench = reactiveBench([respond, respond, respond], {
    tools: TOOLS,
    options: { limits: { onEscalate: 'end' } },
  });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'replan_budget_exhausted' });
  expect(shownTo(bench.model, 1)).toContain('criteria_unmet');
  bench.model.assertDrained();
});
