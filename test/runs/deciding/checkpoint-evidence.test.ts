/** A decision checkpoint requires its evidence. */
import { expect } from 'vitest';
import type { DecisionSpec } from '../../../src/model/critic/decision.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type Rig, rig } from '../rig.ts';

const APPROVE: DecisionSpec = {
  decision_id: 'loan.approve',
  version: '1',
  description: 'Whether to pay the loan out',
  evidence: ['income'],
  approvals: [],
  controls: [],
  evaluators: [],
  accept_threshold: 0.8,
  risk_class: 'low',
  actions: ['pay_out'],
};

/** The step that brings the evidence is optional, so it may fail without failing the run. */
function rigWithIncome(incomeIsKnown: boolean): Rig {
  return rig({
    tools: {
      check_income: {
        produces: ['income'],
        retries_max: 0,
        execute: () => {
          if (!incomeIsKnown) throw new Error('the bureau does not answer');
          return { monthly: 3_000 };
        },
      },
      read: {},
      pay_out: { produces: ['done'] },
    },
    plans: [
      planOf(
        [
          { id: 's1', tool: 'check_income', optional: true },
          { id: 's2', tool: 'read' },
          { id: 's3', tool: 'pay_out', depends_on: ['s2'] },
        ],
        { decision_checkpoints: [{ decision_id: 'loan.approve', after_step: 's2' }] },
      ),
    ],
    options: { decisions: [APPROVE] },
  });
}

verifies(
  ['decide:checkpoint:evidence-before-execution', 'catalog:decision:resolves-to-spec'],
  'missing evidence: rejects the decision and does not call its tool',
  async () => {
    const bench = rigWithIncome(false);
    const outcome = await bench.invoke();
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['check_income', 'read']);
    expect(outcome).toMatchObject({ status: 'paused', reason: 'evidence_missing' });
    const { state } = await bench.runtime.records.replay(outcome.runId);
    expect(state.people.escalation?.stop.detail).toEqual({ decision_id: 'loan.approve', missing: ['income'] });
    expect(state.work.decided).toEqual([]);
  },
);

verifies('decide:checkpoint:evidence-before-execution', 'evidence present: takes the decision', async () => {
  const bench = rigWithIncome(true);
  const { runId, terminalCode, record } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(record?.decision_id).toBe('loan.approve');
  const { state } = await bench.runtime.records.replay(runId);
  expect(state.work.decided).toEqual(['loan.approve']);
});
