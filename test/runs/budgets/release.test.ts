/** A run that meets its cap is frozen and goes on only if a named person releases more. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const PLAN = planOf([
  { id: 'a', tool: 'read' },
  { id: 'b', tool: 'finish' },
]);
const RELEASE = { type: 'budget_extended', by: 'cfo', reason: 'worth it', delta: { tool_calls: 1 } } as const;

/** The second step fails when the last call is spent. */
function frozen(): Turns {
  const run = turns({ tools: { read: {}, finish: { produces: ['done'] } }, caps: { ...CAPS, tool_calls_max: 2 } });
  run.say(proposed(PLAN));
  run.say(answered(run));
  run.say(answered(run, { outcome: 'error', raw: null }));
  return run;
}

verifies(
  ['budget:control-exhaustion:gate-or-approval', 'escalate:budget-limit:explicit-release'],
  'at the cap the run freezes and the budget queue has the word',
  () => {
    const { state, events, outbox } = frozen();
    expect(outbox).toEqual([]);
    expect(state.session).toMatchObject({ status: 'paused', pause: { cause: 'escalated', authority: 'budget_queue' } });
    expect(eventsOf(events, 'run_escalated')).toMatchObject([
      {
        escalation: { trigger: 'budget_limit', severity: 'moderate', recipient: 'budget_queue' },
        stop: { code: 'BUDGET_EXHAUSTED', detail: { dimension: 'tool_calls', needed: 1, left: 0 } },
      },
    ]);
  },
);

verifies(
  ['budget:control-exhaustion:gate-or-approval', 'escalate:budget-limit:explicit-release'],
  'released by name, the run goes on with the new cap on record',
  () => {
    const run = frozen();
    expect(run.refusal({ ...RELEASE, by: '' }).code).toBe('operator_required');
    run.say(RELEASE);
    expect(run.state).toMatchObject({ session: { status: 'in_progress' }, budget: { caps: { tool_calls_max: 3 } } });
    expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 'b', attempt: 2 } }]);
    run.say(answered(run));
    expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
    expect(run.state.budget?.used.tool_calls).toBe(3);
    expect(eventsOf(run.events, 'budget_extended')).toMatchObject([RELEASE]);
  },
);
