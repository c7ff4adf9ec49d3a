/** What a compression has to keep is all that the run holds of it, and is taken from its state. */
import { expect, test } from 'vitest';
import { activeContext } from '../../../src/kernel/active-context.ts';
import type { Grant } from '../../../src/kernel/people-state.ts';
import type { RunState } from '../../../src/kernel/state.ts';
import { vecToArray } from '../../../src/kernel/vec.ts';
import type { ApprovalEntry } from '../../../src/model/decision.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const PLAN = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'finish', depends_on: ['a'] },
]);
const APPROVAL = { gate: 'GATE_OPS', decision: 'approve', approver: 'ana' } as unknown as ApprovalEntry;
const GRANT = { grantId: 'grant_1', gate: 'GATE_OPS', approver: 'ana' } as unknown as Grant;

/** One step done and one under way, with everything that people and sources may have left open beside it. */
function underWay(): RunState {
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

test('every class holds all that the state has of it', () => {
  const state = underWay();
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
