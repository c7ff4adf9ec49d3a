/** What tools may spend has a cap of its own, or none; either way a plan is held against the one that counts. */
import { expect, test } from 'vitest';
import { proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

function planned(caps: { readonly tool_spend_usd_max?: number }): Turns {
  const run = turns({
    tools: { buy: { produces: ['done'], cost: { input_tokens: 0, output_tokens: 0, microusd: 2_000_000 } } },
    caps: { ...CAPS, inference_cost_usd_max: 1, ...caps },
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'buy' }])));
  return run;
}

test('without a cap of its own it is paid from the inference cost', () => {
  expect(planned({}).state.people.escalation?.stop.detail).toEqual({
    dimension: 'inference_cost_usd',
    needed: 2,
    left: 1,
  });
});

test('with one, the inference cost is not asked', () => {
  expect(planned({ tool_spend_usd_max: 3 }).outbox).toMatchObject([{ kind: 'call_tool' }]);
  expect(planned({ tool_spend_usd_max: 1.5 }).state.people.escalation?.stop.detail).toEqual({
    dimension: 'tool_spend_usd',
    needed: 2,
    left: 1.5,
  });
});
