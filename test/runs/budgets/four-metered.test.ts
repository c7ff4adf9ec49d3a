/** One call with a reported cost charges tokens, calls, money and time. */
import { expect } from 'vitest';
import { type Amounts, remaining } from '../../../src/kernel/budget/view.ts';
import { elapsedMs } from '../../../src/kernel/state/lifecycle.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

function remainingOf(state: RunState): Amounts {
  if (state.budget === null) throw new Error('no budget');
  return remaining(state.budget, elapsedMs(state));
}

verifies('budget:dimensions:four-metered', 'charges all four dimensions by the reported amounts', () => {
  const most = { input_tokens: 500, output_tokens: 500, microusd: 90_000 };
  const run = turns({
    tools: { read: { cost: most }, finish: { produces: ['done'] } },
    caps: { ...CAPS, input_tokens_max: 1000, output_tokens_max: 1000, inference_cost_usd_max: 1, tool_calls_max: 9 },
  });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'finish' },
      ]),
    ),
  );
  run.say(answered(run, { spent: { input_tokens: 120, output_tokens: 30, microusd: 20_000 } }), 4_000);
  run.say({ type: 'run_paused', cause: 'operator', by: 'op' });
  expect(run.state.budget?.used).toMatchObject({
    input_tokens: 120,
    output_tokens: 30,
    tool_calls: 1,
    cost_microusd: 20_000,
  });
  // The second call is in flight, so its budget is reserved.
  expect(remainingOf(run.state)).toMatchObject({
    input_tokens: 880,
    output_tokens: 970,
    tool_calls: 7,
    cost_microusd: 980_000,
    wall_clock_ms: 596_000,
  });
});
