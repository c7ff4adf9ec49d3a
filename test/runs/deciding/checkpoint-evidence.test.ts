/** At a decision checkpoint the evidence is there, or the decision is not taken. */
import { expect } from 'vitest';
import type { DecisionSpec } from '../../../src/model/decision.ts';
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

/** The step that would bring the evidence is secondary work, so it may fail without failing the run. */
function benchWhere(incomeIsKnown: boolean): Rig {
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
  'evidence that never came: the decision is refused and what it governs is not called',
  async () => {
    const bench = benchWhere(false);
    const outcome = await bench.invoke();
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['check_income', 'read']);
    expect(outcome).toMatchObject({ status: 'paused', reason: 'evidence_missing' });
    const { state } = await bench.runtime.replay(outcome.runId);
    expect(state.people.escalation?.stop.detail).toEqual({ decision_id: 'loan.approve', missing: ['income'] });
    expect(state.work.decided).toEqual([]);
  },
);

verifies('decide:checkpoint:evidence-before-execution', 'evidence that came: the decision is taken', async () => {
  const bench = benchWhere(true);
  const { runId, terminalCode, record } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(record?.decision_id).toBe('loan.approve');
  const { state } = await bench.runtime.replay(runId);
  expect(state.work.decided).toEqual(['loan.approve']);
});
