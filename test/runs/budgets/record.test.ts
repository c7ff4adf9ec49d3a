/** A run ended by a limit records the caps, the usage and the dimension that ran out. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

verifies(
  'terminate:budget-exhausted:record-budget-state',
  'makes no further call without output tokens and records the budget',
  () => {
    const cost = { input_tokens: 0, output_tokens: 50, microusd: 0 };
    const run = turns({
      tools: { read: { cost, retries_max: 9 }, finish: { produces: ['done'] } },
      caps: { ...CAPS, output_tokens_max: 100 },
      options: { limits: { onEscalate: 'end' } },
    });
    run.say(
      proposed(
        planOf([
          { id: 'a', tool: 'read' },
          { id: 'b', tool: 'finish' },
        ]),
      ),
    );
    run.say(answered(run, { outcome: 'error', raw: null, spent: cost }));
    run.say(answered(run, { outcome: 'error', raw: null, spent: cost }));
    expect(run.outbox).toEqual([]);
    expect(run.state.counters.calls).toBe(2);
    const [ended] = eventsOf(run.events, 'run_terminated');
    expect(ended).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      detail: {
        dimension: 'output_tokens',
        budget: {
          caps: { output_tokens_max: 100 },
          used: { output_tokens: 100, tool_calls: 2 },
          remaining: { output_tokens: 0 },
        },
      },
    });
    const budget = ended?.detail['budget'] as {
      readonly caps: object;
      readonly used: object;
      readonly remaining: object;
    };
    expect(Object.keys(budget.remaining)).toEqual(Object.keys(budget.used));
    expect(Object.keys(budget.caps)).toEqual(expect.arrayContaining(Object.keys(CAPS)));
    expect(run.stored.has(ended?.record ?? '')).toBe(true);
  },
);

verifies(
  'pathology:budget-blowout:actual-or-projected-over-cap',
  'pauses a run whose projected usage exceeds the cap',
  () => {
    const run = turns({ tools: { read: {}, finish: { produces: ['done'] } }, caps: { ...CAPS, tool_calls_max: 2 } });
    const steps = [1, 2, 3].map((n) => ({ id: `s${n}`, tool: n < 3 ? 'read' : 'finish', params: { n } }));
    run.say(proposed(planOf(steps)));
    expect(run.state.session).toMatchObject({ status: 'paused', pause: { authority: 'budget_queue' } });
    expect(eventsOf(run.events, 'run_escalated')).toHaveLength(1);
    expect(run.outbox).toEqual([]);
  },
);

verifies('pathology:budget-blowout:actual-or-projected-over-cap', 'actual usage never exceeds the cap', () => {
  const run = turns({ tools: { read: { retries_max: 9 } }, caps: { ...CAPS, tool_calls_max: 3, retry_count_max: 9 } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  while (run.outbox.some(({ kind }) => kind === 'call_tool')) {
    const { used, reserved } = run.state.budget ?? {};
    expect((used?.tool_calls ?? 0) + (reserved?.tool_calls ?? 0)).toBeLessThanOrEqual(3);
    run.say(answered(run, { outcome: 'error', raw: null }));
  }
  expect(run.state.budget?.used.tool_calls).toBe(3);
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { authority: 'budget_queue' } });
});
