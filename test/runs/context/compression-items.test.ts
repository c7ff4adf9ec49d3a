/** The items a compression must keep come from the run's state, completely. */
import { expect, test } from 'vitest';
import { activeContext } from '../../../src/kernel/query/critic-input/active-context.ts';
import type { Grant } from '../../../src/kernel/state/people-state.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { vecToArray } from '../../../src/kernel/state/vec.ts';
import type { ApprovalEntry } from '../../../src/model/critic/decision-record.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const PLAN = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'finish', depends_on: ['a'] },
]);
const APPROVAL = { gate: 'GATE_OPS', decision: 'approve', approver: 'ana' } as unknown as ApprovalEntry;
const GRANT = { grantId: 'grant_1', gate: 'GATE_OPS', approver: 'ana' } as unknown as Grant;

/** One step done and one in flight, with approvals, grants and open points in the state. */
function midRun(): RunState {
  const run = turns({ tools: { look: {}, finish: { produces: ['done'] } } });
  run.say(proposed(PLAN));
  run.say(answered(run, { raw: { found: 'it' } }));
  const { state } = run;
  return {
    ...state,
    work: { ...state.work, unresolved: ['c'], disputed: ['evidence_9'] },
    people: { ...state.people, approvals: [APPROVAL], grants: [GRANT] },
    planning: { ...state.planning, approved: true },
  };
}

test('each class holds everything the state has of it', () => {
  const state = midRun();
  const calls = vecToArray(state.work.transcripts);
  const { kept } = activeContext(state, { items: [], notes: [] }).context;
  expect(calls).toHaveLength(1);
  expect(kept).toMatchObject({
    goal_and_criteria: { goal: state.intake.goal, inputs: state.intake.answers },
    plan_and_dependencies: { plan_id: 'plan_1', steps: PLAN.steps, decision_checkpoints: [] },
    open_questions: { question: null, wanted: null, unresolved: ['c'], disputed: ['evidence_9'], blocked: ['b'] },
    budget_state: { remaining: { tool_calls: 48 } },
    trace_pointers: { trace: state.id.traceId, calls },
    approval_state: { approvals: [APPROVAL], grants: [GRANT], gates: [], escalation: null, plan_approved: true },
  });
  expect(Object.values(kept.verified_observations)).toEqual([{ found: 'it' }]);
});
