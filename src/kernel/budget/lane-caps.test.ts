/** Proves that a lane spends only its reservation, and that the parent pays exactly what the lane spent. */
import { describe, expect, test } from 'vitest';
import type { Budget, BudgetCaps } from '../../model/budget/budget.ts';
import { PROFILE_CAPS } from '../../model/budget/budget-profile.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { add } from './account.ts';
import { charge, openBudget, type Reservation, reserve, type Settlement, settle } from './budget.ts';
import { laneCaps, laneNeed, laneSpent } from './lane-caps.ts';
import { remaining } from './view.ts';

const LANE: BudgetCaps = deepFreeze({
  ...PROFILE_CAPS.incident_sre,
  input_tokens_max: 100,
  output_tokens_max: 50,
  tool_calls_max: 2,
  external_api_calls_max: 0,
  inference_cost_usd_max: 0.1,
  reflection_passes_max: 0,
  steps_max: 2,
  replan_attempts_max: 0,
});

const parentWith = (caps: Partial<BudgetCaps>): Budget =>
  deepFreeze(openBudget({ ...PROFILE_CAPS.research, lanes_max: 3, ...caps }));

/** The same calls as in the kernel, at the intent of the step and at the end of the lane. */
const reserveLane = (parent: Budget, wanted: BudgetCaps): Reservation =>
  reserve(parent, laneNeed(laneCaps(parent.caps, wanted)));
const settleLane = (parent: Budget, lane: Budget): Settlement =>
  settle(parent, laneNeed(lane.caps), laneSpent(add(lane.used, lane.reserved)));

function opened(parent: Budget, caps: BudgetCaps = LANE): { parent: Budget; lane: Budget } {
  const answer = reserveLane(parent, caps);
  if (!answer.ok) throw new Error(`refused: ${answer.dimension}`);
  return deepFreeze({ parent: answer.budget, lane: openBudget(laneCaps(parent.caps, caps)) });
}

function spend(lane: Budget, input_tokens: number): Budget {
  const answer = charge(lane, { input_tokens });
  if (!answer.ok) throw new Error(`refused: ${answer.dimension}`);
  return deepFreeze(answer.budget);
}

describe('lanes', () => {
  test('are charged to the parent and refused if the parent has too little left', () => {
    const first = opened(parentWith({ input_tokens_max: 1_000 }));
    const second = opened(first.parent);
    const closed = settleLane(settleLane(second.parent, spend(first.lane, 100)).budget, spend(second.lane, 100));
    expect(closed.budget.used.input_tokens).toBe(200);
    expect(closed.overrun).toBeNull();
    const short = opened(parentWith({ input_tokens_max: 150 }));
    expect(reserveLane(short.parent, LANE)).toMatchObject({
      ok: false,
      dimension: 'input_tokens',
      needed: 100,
      left: 50,
    });
  });

  test('stop at their own cap even if the parent has more', () => {
    const { lane } = opened(parentWith({ input_tokens_max: 10_000 }));
    expect(charge(lane, { input_tokens: 150 })).toMatchObject({
      ok: false,
      code: 'budget_exhausted',
      dimension: 'input_tokens',
      left: 100,
    });
  });

  test('return what they did not spend', () => {
    const before = parentWith({});
    const { parent, lane } = opened(before);
    expect(remaining(parent).input_tokens).toBe(remaining(before).input_tokens - 100);
    const { budget } = settleLane(parent, spend(lane, 30));
    expect(remaining(budget).input_tokens).toBe(remaining(before).input_tokens - 30);
    expect(budget.used).toEqual({ ...before.used, input_tokens: 30, lanes: 1, steps: 1 });
    expect(budget.reserved).toEqual(before.reserved);
  });

  test('are charged for a call that is still open at their end', () => {
    const { parent, lane } = opened(parentWith({}));
    const waiting = reserve(lane, { tool_calls: 1, input_tokens: 60 });
    if (!waiting.ok) throw new Error('refused');
    expect(settleLane(parent, waiting.budget).budget.used).toMatchObject({ tool_calls: 1, input_tokens: 60 });
  });

  test('count against the lane cap, including the lanes they may open', () => {
    const two = opened(opened(parentWith({ lanes_max: 2 })).parent);
    expect(reserveLane(two.parent, LANE)).toMatchObject({ ok: false, dimension: 'lanes', needed: 1, left: 0 });
    expect(reserveLane(parentWith({ lanes_max: 2 }), { ...LANE, lanes_max: 2 })).toMatchObject({
      dimension: 'lanes',
      needed: 3,
    });
  });

  test('get no more time, context or consecutive retries than the parent', () => {
    const generous = { ...LANE, wall_clock_seconds_max: 9_999, context_tokens_max: 999_999, retry_count_max: 99 };
    expect(opened(parentWith({}), generous).lane.caps).toMatchObject({
      wall_clock_seconds_max: 300,
      context_tokens_max: 100_000,
      retry_count_max: 3,
    });
  });

  test("pay for tools from the parent's inference cost if the parent has no cap on tool spend", () => {
    const { parent, lane } = opened(parentWith({}), { ...LANE, tool_spend_usd_max: 0.2 });
    expect(parent.reserved).toMatchObject({ cost_microusd: 300_000, tool_spend_microusd: 0 });
    const spent = charge(lane, { tool_spend_microusd: 150_000 });
    if (!spent.ok) throw new Error('refused');
    const { budget } = settleLane(parent, spent.budget);
    expect(budget.used.cost_microusd).toBe(150_000);
    expect(budget.reserved.cost_microusd).toBe(0);
  });
});

test('refuses to settle a lane with higher caps than were reserved', () => {
  const { parent, lane } = opened(parentWith({}));
  const forged = { ...lane, caps: { ...lane.caps, input_tokens_max: 5_000 } };
  expect(() => settleLane(parent, forged)).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
});
