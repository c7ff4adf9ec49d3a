/** The cost of the remaining plan as an interval: the run stops below the lower bound and warns below the upper. */
import { expect } from 'vitest';
import type { Amounts } from '../../../src/kernel/budget/view.ts';
import { BUDGET_DIMENSIONS, type BudgetDimension } from '../../../src/model/budget/dimensions.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const chain = (length: number): Plan =>
  planOf(
    Array.from({ length }, (_, n) => ({ id: `s${n + 1}`, tool: n + 1 < length ? 'read' : 'finish', params: { n } })),
  );

/** Starts a plan whose calls may each be tried `retries_max + 1` times. */
function startPlan(steps: number, calls: number, retries_max: number): Turns {
  const tools = { read: { retries_max }, finish: { retries_max, produces: ['done'] } };
  const run = turns({ tools, caps: { ...CAPS, tool_calls_max: calls, wall_clock_seconds_max: 100_000 } });
  run.say(proposed(chain(steps)));
  return run;
}

/** Maps a budget dimension to the kernel's amount; the kernel counts time and money in integers. */
function amountOf(dimension: BudgetDimension): keyof Amounts {
  if (dimension === 'wall_clock_seconds') return 'wall_clock_ms';
  if (dimension === 'inference_cost_usd') return 'cost_microusd';
  return dimension === 'tool_spend_usd' ? 'tool_spend_microusd' : dimension;
}

const failCall = (run: Turns): void => run.say(answered(run, { outcome: 'error', raw: null }));

verifies('pie:early-stop:remaining-below-lower-bound', 'stops with two calls left for at least four', () => {
  const run = startPlan(5, 5, 2);
  failCall(run);
  failCall(run);
  run.say(answered(run));
  expect(run.outbox).toEqual([]);
  expect(run.state.session.status).toBe('paused');
  expect(run.state.people.escalation?.stop).toEqual({
    code: 'BUDGET_EXHAUSTED',
    reason: 'early_stop',
    detail: { dimension: 'tool_calls', needed: 4, left: 2 },
  });
});

verifies('pie:early-stop:remaining-below-lower-bound', 'runs to the end with four calls left for at least four', () => {
  const run = startPlan(5, 7, 2);
  failCall(run);
  failCall(run);
  for (let step = 0; step < 5; step += 1) run.say(answered(run));
  expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(run.state.budget?.used.tool_calls).toBe(7);
});

verifies('pie:early-stop:upper-bound-alone-does-not-stop', 'warns with five calls left for four to eight', () => {
  const run = startPlan(4, 5, 1);
  expect(eventsOf(run.events, 'shortage_foreseen')).toMatchObject([{ dimension: 'tool_calls', needed: 8, left: 5 }]);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 's1' } }]);
  for (let step = 0; step < 4; step += 1) run.say(answered(run));
  expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(eventsOf(run.events, 'shortage_foreseen')).toHaveLength(1);
});

verifies(
  'pie:early-stop:upper-bound-alone-does-not-stop',
  'stops when the lower bound rises above what is left',
  () => {
    const run = startPlan(4, 5, 1);
    failCall(run);
    failCall(run);
    run.say(proposed({ ...chain(4), plan_id: 'plan_2' }));
    expect(run.outbox).toEqual([]);
    expect(run.state.people.escalation?.stop).toEqual({
      code: 'BUDGET_EXHAUSTED',
      reason: 'budget_exhausted',
      detail: { dimension: 'tool_calls', needed: 4, left: 3 },
    });
    expect(eventsOf(run.events, 'plan_verified').at(-1)?.problems).toMatchObject([
      { code: 'budget_projection_exceeded', detail: { dimension: 'tool_calls', needed: 4, left: 3 } },
    ]);
  },
);

verifies(
  'pie:interval:lower-upper-per-dimension',
  'folds every step of the journal to an interval per dimension',
  () => {
    const run = startPlan(3, 20, 1);
    const bounds: (readonly [number, number])[] = [];
    for (let step = 0; step < 3; step += 1) {
      const { lower, upper } = run.state.work.estimate;
      for (const dimension of BUDGET_DIMENSIONS) {
        const amount = amountOf(dimension);
        expect(lower[amount]).toBeGreaterThanOrEqual(0);
        expect(upper[amount]).toBeGreaterThanOrEqual(lower[amount]);
      }
      bounds.push([lower.tool_calls, upper.tool_calls]);
      run.say(answered(run));
    }
    expect(bounds).toEqual([
      [3, 6],
      [2, 4],
      [1, 2],
    ]);
  },
);

verifies(
  'pie:interval:lower-upper-per-dimension',
  'ignores a contradictory estimate, and still enforces the cap',
  () => {
    const tools = { read: {}, finish: { produces: ['done'] } };
    const run = turns({ tools, caps: { ...CAPS, tool_calls_max: 2 } });
    run.say(proposed(chain(2)));
    const { lower, upper } = run.state.work.estimate;
    // No event produces such an estimate, so the test writes it into the state.
    Object.assign(run.state.work, { estimate: { lower: { ...lower, tool_calls: 90 }, upper } });
    run.say(answered(run));
    expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 's2' } }]);
    run.say(answered(run, { outcome: 'error', raw: null }));
    expect(run.outbox).toEqual([]);
    expect(run.state.people.escalation?.stop).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: { dimension: 'tool_calls' },
    });
  },
);
