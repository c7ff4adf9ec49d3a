/** A call is not made if nothing is left of a dimension it needs, and is made with one unit left. */
import { expect } from 'vitest';
import { charge, openBudget, reserve } from '../../../src/kernel/budget/budget.ts';
import { PROFILE_CAPS } from '../../../src/model/budget/budget-profile.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const ID = 'budget:halt:any-dimension-at-zero-before-next-call';
type Caps = AgentSpec['budget']['overrides'];

/** Plans one step at a time; each step costs one unit of every counted dimension. */
function afterTwoCalls(caps: Caps): Turns {
  const run = turns({
    tools: {
      touch: {
        approval_mode: 'local_write',
        external: true,
        side_effect: true,
        cost: { input_tokens: 1, output_tokens: 1, microusd: 1 },
      },
      finish: { produces: ['done'] },
    },
    caps: { ...CAPS, ...caps },
    options: { graph: 'reactive', limits: { planning: 'stepwise' } },
  });
  for (let n = 1; n <= 3; n += 1) {
    run.say(proposed(planOf([{ id: `s${n}`, tool: 'touch', params: { n } }], { plan_id: `plan_${n}` })));
    if (n < 3) run.say(answered(run, { spent: { input_tokens: 1, output_tokens: 1, microusd: 1 } }));
  }
  return run;
}

const COUNTED: readonly (readonly [dimension: string, at: Caps, below: Caps])[] = [
  ['tool_calls', { tool_calls_max: 2 }, { tool_calls_max: 3 }],
  ['external_api_calls', { external_api_calls_max: 2 }, { external_api_calls_max: 3 }],
  ['side_effects', { side_effects_max: 2 }, { side_effects_max: 3 }],
  ['steps', { steps_max: 2 }, { steps_max: 3 }],
  ['input_tokens', { input_tokens_max: 2 }, { input_tokens_max: 3 }],
  ['output_tokens', { output_tokens_max: 2 }, { output_tokens_max: 3 }],
  ['inference_cost_usd', { inference_cost_usd_max: 0.000002 }, { inference_cost_usd_max: 0.000003 }],
  ['tool_spend_usd', { tool_spend_usd_max: 0.000002 }, { tool_spend_usd_max: 0.000003 }],
];

for (const [dimension, at, below] of COUNTED) {
  verifies(ID, `${dimension} at its cap: does not make the next call`, () => {
    const { outbox, state } = afterTwoCalls(at);
    expect(outbox).toEqual([]);
    expect(state.counters.calls).toBe(2);
    expect(state.people.escalation?.stop).toMatchObject({ code: 'BUDGET_EXHAUSTED', detail: { dimension } });
  });

  verifies(ID, `${dimension} one below its cap: makes the next call`, () => {
    expect(afterTwoCalls(below).outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 's3' } }]);
  });
}

verifies(ID, 'wall clock: TIMEOUT at the limit, a call one millisecond before it', () => {
  const begun = (): Turns => {
    const run = turns({
      tools: { read: {}, finish: { produces: ['done'] } },
      caps: { ...CAPS, wall_clock_seconds_max: 10 },
    });
    run.say(
      proposed(
        planOf([
          { id: 'a', tool: 'read' },
          { id: 'b', tool: 'finish' },
        ]),
      ),
    );
    return run;
  };
  const late = begun();
  late.say(answered(late), 10_000);
  expect(late.outbox.filter(({ kind }) => kind === 'call_tool')).toEqual([]);
  expect(late.state.ending.terminal).toMatchObject({ code: 'TIMEOUT' });
  const inTime = begun();
  inTime.say(answered(inTime), 9_999);
  expect(inTime.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 'b' } }]);
});

verifies(ID, 'retries in a row: escalates the failure past the cap, repeats the one before', () => {
  const failed = (retry_count_max: number): Turns => {
    const run = turns({
      tools: { read: { retries_max: 9 } },
      caps: { ...CAPS, retry_count_max, replan_attempts_max: 0 },
    });
    run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
    run.say(answered(run, { outcome: 'error', raw: null }));
    run.say(answered(run, { outcome: 'error', raw: null }));
    return run;
  };
  expect(failed(2).outbox).toMatchObject([{ kind: 'call_tool', call: { attempt: 3 } }]);
  const { outbox, state } = failed(1);
  expect(outbox).toEqual([]);
  // Exhausted retries have their own code.
  expect(state.people.escalation?.stop).toMatchObject({
    code: 'REPEATED_FAILURE',
    detail: { cause: 'retry_budget_exhausted' },
  });
});

verifies(ID, 'reflections: escalates instead of exceeding the cap', () => {
  const doubted = (reflection_passes_max: number): Turns => {
    const run = turns({
      tools: { read: { produces: ['done'] } },
      caps: { ...CAPS, reflection_passes_max },
      change: ({ critic }) => ({
        critic: {
          ...critic,
          judgeStep: (facts) => ({ ...critic.judgeStep(facts), scores: { policy: 1, utility: 0.2 } }),
        },
      }),
    });
    run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
    run.say(answered(run));
    return run;
  };
  expect(doubted(1).outbox).toMatchObject([{ kind: 'reflect' }]);
  const { outbox, state } = doubted(0);
  expect(outbox).toEqual([]);
  // Low confidence without a reflection left has its own code.
  expect(state.people.escalation?.stop).toMatchObject({
    code: 'LOW_CONFIDENCE',
    detail: { dimension: 'reflection_passes' },
  });
});

verifies(ID, 'context: compresses a full context before the next request, and ends a run that cannot shrink it', () => {
  const replanning = (context_tokens: number): Turns => {
    const run = turns({
      tools: { read: { retries_max: 0, produces: ['done'] } },
      caps: { ...CAPS, context_tokens_max: 1_000 },
    });
    run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { context_tokens }));
    run.say(answered(run, { outcome: 'error', raw: null }));
    return run;
  };
  expect(replanning(800).outbox).toMatchObject([{ kind: 'propose_plan' }]);
  const full = replanning(1_000);
  expect(full.outbox).toEqual([{ kind: 'compress_context' }]);
  full.say({ type: 'context_compressed', lost: [], tokens: 1_000, pointer: 'trace_1@1' });
  expect(full.outbox).toEqual([]);
  expect(full.state.ending.terminal).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    detail: { dimension: 'context_tokens' },
  });
});

verifies(ID, 'memory writes: the account refuses the write over the cap (no part of a run writes memory yet)', () => {
  const spent = charge(openBudget({ ...PROFILE_CAPS.research, memory_writes_max: 2 }), { memory_writes: 1 });
  if (!spent.ok) throw new Error('refused');
  const second = reserve(spent.budget, { memory_writes: 1 });
  expect(second.ok).toBe(true);
  expect(second.ok && reserve(second.budget, { memory_writes: 1 })).toMatchObject({
    ok: false,
    dimension: 'memory_writes',
  });
});
