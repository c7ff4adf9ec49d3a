/** The requirements of a catalogue decision apply to every tool it governs, in addition to the tool's own. */
import { expect, test } from 'vitest';
import type { DecisionSpec } from '../../../src/model/critic/decision.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf, type Rig, rig } from '../rig.ts';

const PAY: DecisionSpec = {
  decision_id: 'loan.pay',
  version: '1',
  description: 'Whether to pay the loan out',
  evidence: [],
  approvals: ['GATE_LOANS'],
  controls: [],
  evaluators: [],
  accept_threshold: 0.8,
  risk_class: 'low',
  actions: ['pay_out'],
};

function bench(decision: DecisionSpec, paying: Partial<PlanStep>, pays: () => { readonly ok: boolean }): Rig {
  const steps: readonly PlanStep[] = [
    { id: 's1', tool: 'read' },
    { id: 's2', tool: 'pay_out', depends_on: ['s1'], ...paying },
  ];
  const plan = planOf(steps, { decision_checkpoints: [{ decision_id: 'loan.pay', after_step: 's1' }] });
  return rig({
    tools: { read: {}, pay_out: { produces: ['done'], execute: pays } },
    plans: [plan, plan, plan],
    options: { decisions: [decision] },
  });
}
const answerPaid = (): { readonly ok: boolean } => ({ ok: true });

test("rejects a plan that omits the decision's gate", async () => {
  const run = bench(PAY, {}, answerPaid);
  const outcome = await run.invoke();
  expect(outcome.terminalCode).not.toBe('SUCCESS');
  expect(run.dispatches).toEqual([]);
  const verdicts = (await run.events(outcome.runId)).filter(({ type }) => type === 'plan_verified');
  expect(JSON.stringify(verdicts[0])).toContain('approval_missing');
});

test('a plan that names the gate waits there, even for a tool that only reads', async () => {
  const run = bench(PAY, { requires: ['GATE_LOANS'] }, answerPaid);
  const outcome = await run.invoke();
  expect(outcome.status).toBe('awaiting_gate');
  expect(run.dispatches.map(({ tool }) => tool)).toEqual(['read']);
});

/** A run in which every step scores `utility`, under a decision with a threshold of 0.9. */
function runScoring(utility: number): Turns {
  const decision = { ...PAY, approvals: [], accept_threshold: 0.9 };
  const run = turns({
    tools: { read: {}, pay_out: { produces: ['done'] } },
    options: { decisions: [decision] },
    change: ({ critic }) => ({
      critic: { ...critic, judgeStep: (facts) => ({ ...critic.judgeStep(facts), scores: { policy: 1, utility } }) },
    }),
  });
  const checkpoints = { decision_checkpoints: [{ decision_id: 'loan.pay', after_step: 's1' }] };
  const steps = [
    { id: 's1', tool: 'read' },
    { id: 's2', tool: 'pay_out', depends_on: ['s1'] },
  ];
  run.say(proposed(planOf(steps, checkpoints)));
  run.say(answered(run));
  run.say(answered(run));
  return run;
}

test('only steps that the decision governs must reach its threshold', () => {
  const low = runScoring(0.85);
  expect(low.state.planning.reason).toMatchObject({ code: 'below_accept', step_id: 's2' });
  expect(low.state.ending.terminal).toBeNull();
  expect(runScoring(0.9).state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
});
