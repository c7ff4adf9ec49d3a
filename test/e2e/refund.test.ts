/**
 * The refund scenario of the source texts, end to end: the approved call runs once, and the journal replays completely.
 */
import { type Ambit, ambit, type RunOutcome } from 'ambit';
import { expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { refundRequest } from '../../examples/01-refund/src/request.ts';
import { openShop, type Shop } from '../../examples/01-refund/src/shop.ts';
import { verifies } from '../requirements/verifies.ts';

interface Refund {
  readonly shop: Shop;
  readonly runtime: Ambit;
  readonly waiting: RunOutcome;
  readonly done: RunOutcome;
}

async function refund(): Promise<Refund> {
  const shop = openShop();
  const runtime = ambit({ agent: supportAgent(shop.tools) });
  const waiting = await runtime.invoke(refundRequest);
  const gate = waiting.pending[0];
  if (gate === undefined) throw new Error(`no gate: ${waiting.terminalCode} ${waiting.reason}`);
  const { gateId, packetHash } = gate;
  const done = await runtime.approve(gateId, {
    packetHash,
    credential: { kind: 'local_operator', name: 'user_finance_lead' },
    reason: 'within policy',
  });
  return { shop, runtime, waiting, done };
}

verifies(
  ['score:envelope:fields', 'score:step:each-completed-step', 'score:run:overall', 'approval:record:gate-and-approver'],
  'ends in the verdict of the source texts',
  async () => {
    const { done } = await refund();
    expect(done.verdict).toMatchObject({
      run_id: done.runId,
      plan_id: 'plan_refund_01',
      verdict: 'accept',
      step_scores: [
        { step_id: 's1', scores: { policy: 1, utility: 1 } },
        { step_id: 's2', scores: { policy: 1, utility: 1 } },
        {
          step_id: 's3',
          scores: { policy: 1, utility: 0.95 },
          approval_gate: 'GATE_FINANCE_APPROVAL',
          approver: 'user_finance_lead',
        },
      ],
      loop_guard_trips: 0,
      replan_attempts: 0,
    });
    expect(done.verdict?.step_scores[0]).not.toHaveProperty('approver');
    expect(done.verdict?.run_scores).toEqual({ policy: 1, utility: 0.9833 });
  },
);

verifies(
  ['record:fields:required', 'decide:accept:ends-run-with-record'],
  'leaves a record of the decision',
  async () => {
    const { done, runtime } = await refund();
    expect(done).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
    expect(done.record).toMatchObject({
      decision_id: 'support.refund.execute',
      evidence_refs: ['ev_1', 'ev_2', 'ev_3'],
      approvals: [{ gate: 'GATE_FINANCE_APPROVAL', approver: 'user_finance_lead', decision: 'approve', step_id: 's3' }],
      trace_id: expect.stringMatching(/^trace_/),
    });
    expect(done.record?.controls_active).toContain('approval_gates');
    const events = (await runtime.records.frames(done.runId)).flatMap((frame) => JSON.parse(frame.events));
    expect(events.filter(({ type }) => type === 'plan_proposed')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'run_terminated')).toHaveLength(1);
  },
);

verifies(
  ['approval:mode:destructive-three-phase', 'gate:approve:back-to-in-progress'],
  'waits for the approval, then pays once',
  async () => {
    const { shop, waiting, done, runtime } = await refund();
    expect(waiting).toMatchObject({ status: 'awaiting_gate', terminalCode: null });
    expect([...shop.refunds.values()]).toEqual([
      { refund_id: 'rf_1', order_id: 'ord_881', amount_cents: 4200, currency: 'EUR', status: 'refunded' },
    ]);
    const types = (await runtime.records.frames(done.runId)).flatMap((frame) =>
      JSON.parse(frame.events).map(({ type }: { type: string }) => type),
    );
    const [opened, decided, attempted] = ['gate_opened', 'gate_decided', 'step_attempted'].map((type) =>
      types.lastIndexOf(type),
    );
    expect(opened).toBeLessThan(decided ?? -1);
    expect(decided).toBeLessThan(attempted ?? -1);
    // The frame of the approval ends the wait and sends the payment.
    const { turns } = await runtime.records.replay(done.runId);
    const approval = turns.findIndex(({ events }) => events.some(({ type }) => type === 'gate_decided'));
    const statuses = turns.slice(approval - 1, approval + 1).map(({ state }) => state.session.status);
    expect(statuses).toEqual(['awaiting_gate', 'in_progress']);
    expect(turns[approval]?.events.map(({ type }) => type)).toContain('step_attempted');
    expect(done.status).toBe('completed');
  },
);

test('runs the arguments that the packet showed', async () => {
  const { shop, waiting, runtime } = await refund();
  const packet = await runtime.gates.packet(waiting.pending[0]?.packetHash ?? '');
  expect(packet).toMatchObject({
    action: 'adp_payments.issue_refund',
    parameters: { order_id: 'ord_881', amount_cents: 4200 },
  });
  expect(shop.refunds.size).toBe(1);
});

test('replays to the same bytes', async () => {
  const { runtime, done } = await refund();
  const { state } = await runtime.records.replay(done.runId);
  expect(state.ending.terminal?.code).toBe('SUCCESS');
});
