/** A run at its cap pauses and continues only after a named person extends the budget. */
import { expect, test } from 'vitest';
import { elapsedMs } from '../../../src/kernel/state/lifecycle.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const PLAN = planOf([
  { id: 'a', tool: 'read' },
  { id: 'b', tool: 'finish' },
]);
const RELEASE = { type: 'budget_extended', by: 'cfo', reason: 'worth it', delta: { tool_calls: 1 } } as const;

/** The second step fails with no call left. */
function startPausedRun(): Turns {
  const run = turns({ tools: { read: {}, finish: { produces: ['done'] } }, caps: { ...CAPS, tool_calls_max: 2 } });
  run.say(proposed(PLAN));
  run.say(answered(run));
  run.say(answered(run, { outcome: 'error', raw: null }));
  return run;
}

verifies(
  ['budget:control-exhaustion:gate-or-approval', 'escalate:budget-limit:explicit-release'],
  'pauses at the cap and escalates to the budget queue',
  () => {
    const { state, events, outbox } = startPausedRun();
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
  'continues after a named release and records the new cap',
  () => {
    const run = startPausedRun();
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

verifies('budget:control-exhaustion:gate-or-approval', 'ends with BUDGET_EXHAUSTED if the release is denied', () => {
  const run = startPausedRun();
  run.say({ type: 'escalation_decided', decision: 'terminate', by: 'cfo', reason: 'too dear' });
  expect(run.state).toMatchObject({
    session: { status: 'failed' },
    ending: { terminal: { code: 'BUDGET_EXHAUSTED' } },
  });
  expect(run.outbox).toEqual([]);
});

verifies('escalate:budget-limit:explicit-release', 'a decision to continue without a release changes nothing', () => {
  const run = startPausedRun();
  run.say({ type: 'escalation_decided', decision: 'continue', by: 'cfo', reason: 'go on' });
  expect(run.outbox).toEqual([]);
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { authority: 'budget_queue' } });
});

verifies('escalate:budget-limit:explicit-release', 'expires like a gate without a release', () => {
  const run = startPausedRun();
  run.say({ type: 'time_passed' }, 3_600_000 - 1);
  expect(run.state.session.status).toBe('paused');
  run.say({ type: 'time_passed' }, 3_600_000);
  expect(run.state.session.status).toBe('expired');
  expect(run.state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', reason: 'wait_expired' });
});

test('verifies a plan again that the budget did not cover', () => {
  const run = turns({ tools: { read: {}, finish: { produces: ['done'] } }, caps: { ...CAPS, tool_calls_max: 1 } });
  run.say(proposed(PLAN));
  expect(run.state.session.status).toBe('paused');
  run.say(RELEASE);
  expect(eventsOf(run.events, 'plan_verified').map(({ verdict }) => verdict)).toEqual(['reject', 'ok']);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 'a' } }]);
});

test('a release that is too small leaves the run paused', () => {
  const run = turns({ tools: { read: {}, finish: { produces: ['done'] } }, caps: { ...CAPS, tool_calls_max: 0 } });
  run.say(proposed(PLAN));
  run.say(RELEASE);
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { authority: 'budget_queue' } });
  run.say(RELEASE);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 'a' } }]);
});

test('under a graph with plan approval, a release does not approve the plan', () => {
  const run = turns({
    tools: { read: {}, finish: { produces: ['done'] } },
    caps: { ...CAPS, tool_calls_max: 1 },
    options: { graph: 'supervised' },
  });
  run.say(proposed(PLAN));
  run.say(RELEASE);
  expect(run.outbox).toEqual([]);
  expect(run.state.people.gates).toMatchObject([{ name: 'GATE_PLAN_APPROVAL' }]);
});

test('extending the wall clock moves only the deadline', () => {
  const run = turns({
    tools: { read: {}, finish: { produces: ['done'] } },
    caps: { ...CAPS, wall_clock_seconds_max: 10 },
  });
  run.say(proposed(PLAN));
  run.say({ ...RELEASE, delta: { wall_clock_seconds: 5 } }, 4_000);
  run.say(answered(run), 12_000);
  expect(elapsedMs(run.state)).toBe(12_000);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool', call: { step_id: 'b' } }]);
  run.say(answered(run), 15_000);
  expect(run.state.ending.terminal).toMatchObject({ code: 'TIMEOUT' });
});
