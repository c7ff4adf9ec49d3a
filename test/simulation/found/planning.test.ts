/** Defects that the simulator found in planning: missing edges back to the planner, and empty plans. */
import { expect, test } from 'vitest';
import type { TurnEnv } from '../../../src/kernel/machine/turn.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import { answered, eventsOf, proposed, turns } from '../../runs/endings/turns.ts';
import { CAPS, planOf } from '../../runs/rig.ts';

const READ = { tools: { read: { produces: ['done'] } } };
const PLAN = planOf([{ id: 'a', tool: 'read' }]);
const LOW = { scores: { policy: 1, utility: 0.65 }, criteria: [], unmet: [], findings: [] };
const judgedLow = ({ critic }: TurnEnv): Partial<TurnEnv> => ({ critic: { ...critic, judgeRun: () => LOW } });
const decision = (kind: 'continue' | 'finalize'): EventBody => ({
  type: 'escalation_decided',
  decision: kind,
  by: 'ana',
  reason: 'seen',
});

test.each(['plan_first', 'prompt_chain', 'deterministic_workflow', 'conditional_graph'] as const)(
  'in %s, a null proposal is no plan',
  (graph) => {
    const run = turns({ ...READ, options: { graph } });
    run.say({ ...proposed(PLAN, { author: 'host' }), proposal: null } as EventBody);
    expect(eventsOf(run.events, 'stop_raised')).toEqual([]);
    expect(eventsOf(run.events, 'plan_verified')).toEqual([]);
  },
);

test('a graph without a loop rejects a plan with more than one step', () => {
  const run = turns({ ...READ, options: { graph: 'direct_response' } });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'read' },
      ]),
      { author: 'host' },
    ),
  );
  expect(run.state.ending.terminal).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'plan_too_large' });
});

test('a plan that only repeats finished steps goes back to the planner, and then escalates', () => {
  const tools = { read: { produces: [] }, end: { produces: ['done'] } };
  const run = turns({ tools, caps: { ...CAPS, replan_attempts_max: 2 } });
  run.say(proposed(PLAN));
  run.say(answered(run));
  run.say(proposed(planOf(PLAN.steps, { plan_id: 'plan_2' })));
  expect(run.outbox).toMatchObject([{ kind: 'propose_plan', reason: { code: 'loop_detected' } }]);
  run.say(proposed(planOf(PLAN.steps, { plan_id: 'plan_3' })));
  expect(run.state.session.status).toBe('paused');
  run.say(decision('continue'));
  expect(eventsOf(run.events, 'run_escalated')).toHaveLength(2);
  run.say(decision('finalize'));
  expect(run.state.ending.terminal).toMatchObject({ code: 'PARTIAL_SUCCESS' });
});

test('refuses to continue a run that has nothing left to do', () => {
  const run = turns({ ...READ, caps: { ...CAPS, replan_attempts_max: 0 }, change: judgedLow });
  run.say(proposed(PLAN));
  run.say(answered(run));
  expect(run.refusal(decision('continue'))).toMatchObject({ code: 'event_illegal' });
  run.say(decision('finalize'));
  expect(run.state.ending.terminal).toMatchObject({ code: 'PARTIAL_SUCCESS' });
});

test('escalates instead of replanning once the calls are used up', () => {
  const run = turns({ tools: { read: { produces: [], retries_max: 0 } }, caps: { ...CAPS, tool_calls_max: 1 } });
  run.say(proposed(PLAN));
  run.say(answered(run));
  run.say(proposed(planOf([{ id: 'b', tool: 'unheard_of' }], { plan_id: 'plan_2' })));
  expect(eventsOf(run.events, 'stop_raised')).toEqual([]);
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { cause: 'escalated' } });
});

test('an operator can finalize a run that could not plan', () => {
  const limits = { plannerCost: { input_tokens: 10, output_tokens: 0, microusd: 0 } };
  const run = turns({ ...READ, caps: { ...CAPS, input_tokens_max: 5 }, options: { limits } });
  expect(run.state.session.status).toBe('paused');
  run.say(decision('finalize'));
  expect(run.state.ending.terminal?.code).toBe('PARTIAL_SUCCESS');
});

test('a run that is judged too low and planned again saves the checkpoint of its verdict', () => {
  const run = turns({ ...READ, change: judgedLow });
  run.say(proposed(PLAN));
  const before = run.state.counters.checkpoints;
  run.say(answered(run));
  expect(run.outbox).toMatchObject([{ kind: 'propose_plan', reason: { code: 'below_accept' } }]);
  expect(run.state.counters.checkpoints).toBe(before + 2);
});

test("a model's escalation waits until the call in flight has returned", () => {
  const run = turns(READ);
  run.say(proposed(PLAN));
  run.say({ type: 'proposal_made', kind: 'escalation_recommendation', payload: {} });
  expect(run.state.session.status).toBe('in_progress');
  run.say(answered(run));
  expect(run.state.people.escalation).toMatchObject({ trigger: 'workflow_issue' });
  run.say({ type: 'proposal_made', kind: 'escalation_recommendation', payload: {} });
  expect(eventsOf(run.events, 'run_escalated')).toHaveLength(1);
});
