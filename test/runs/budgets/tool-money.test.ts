/** Tool spend has an optional cap; without it, tool spend counts against the inference cost. */
import { expect, test } from 'vitest';
import { proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

function startPlan(caps: { readonly tool_spend_usd_max?: number }): Turns {
  const run = turns({
    tools: { buy: { produces: ['done'], cost: { input_tokens: 0, output_tokens: 0, microusd: 2_000_000 } } },
    caps: { ...CAPS, inference_cost_usd_max: 1, ...caps },
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'buy' }])));
  return run;
}

test('without its own cap, tool spend is paid from the inference cost', () => {
  expect(startPlan({}).state.people.escalation?.stop.detail).toEqual({
    dimension: 'inference_cost_usd',
    needed: 2,
    left: 1,
  });
});

test('with its own cap, tool spend ignores the inference cost', () => {
  expect(startPlan({ tool_spend_usd_max: 3 }).outbox).toMatchObject([{ kind: 'call_tool' }]);
  expect(startPlan({ tool_spend_usd_max: 1.5 }).state.people.escalation?.stop.detail).toEqual({
    dimension: 'tool_spend_usd',
    needed: 2,
    left: 1.5,
  });
});
