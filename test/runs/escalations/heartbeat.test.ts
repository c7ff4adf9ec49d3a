/** The watchdog pauses a session without a heartbeat, and only an operator resumes it. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const INTERVAL = 30_000;
const REQUEST = {
  mode: 'long_running',
  runtime: { max_session_duration_ms: 4 * 3_600_000, heartbeat_interval_ms: INTERVAL },
};

/** The first plan was verified at time zero, and its first call is in flight. */
function startRun(): Turns {
  const run = turns({
    tools: {
      read: { timeout_ms: 1_000, retries_max: 0 },
      pay: { timeout_ms: 1_000, retries_max: 0, approval_mode: 'destructive', gates: ['GATE'], produces: ['done'] },
    },
    world: { plannerTimeouts: { usualMs: 5_000, byTaskClass: {} } },
    request: REQUEST,
  });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'read', params: { n: 2 } },
        { id: 'c', tool: 'pay', requires: ['GATE'] },
      ]),
    ),
  );
  return run;
}

const lastSeen = (run: Turns): number => run.state.session.lastSeen - run.state.session.startedAt;

verifies('heartbeat:loss:pauses-after-two-intervals', 'in progress at 59,999 ms, paused at 60,000', () => {
  const run = startRun();
  run.say({ type: 'time_passed' }, 2 * INTERVAL - 1);
  expect(run.state.session.status).toBe('in_progress');
  run.say({ type: 'time_passed' }, 2 * INTERVAL);
  expect(run.state.session).toMatchObject({ status: 'paused', pause: { cause: 'heartbeat_lost', by: 'watchdog' } });
});

verifies('heartbeat:loss:resume-needs-operator', 'stays paused until an operator resumes it', () => {
  const run = startRun();
  run.say({ type: 'time_passed' }, 2 * INTERVAL);
  expect(run.refusal({ type: 'run_resumed', by: 'scheduler', operator: false }).code).toBe(
    'operator_approval_required',
  );
  run.say({ type: 'run_reloaded', writer: 'another_process' });
  expect(run.state.session.status).toBe('paused');
  expect(run.refusal({ type: 'run_resumed', by: 'agt_worker', operator: true }).code).toBe('permission_denied');
  run.say({ type: 'run_resumed', by: 'op_1', operator: true });
  expect(run.state.session).toMatchObject({ status: 'in_progress', pause: null });
});

verifies('heartbeat:renew:on-every-verdict', 'each verdict renews the heartbeat, a call alone does not', () => {
  const run = startRun();
  expect(lastSeen(run)).toBe(0);
  run.say(answered(run), 7_000);
  expect(lastSeen(run)).toBe(7_000);
  expect(run.outbox).toMatchObject([{ kind: 'call_tool' }]);
  run.say({ type: 'time_passed' }, 9_000);
  expect(lastSeen(run)).toBe(7_000);
  run.say(answered(run), 11_000);
  expect(lastSeen(run)).toBe(11_000);
});

verifies(
  'heartbeat:gate:watchdog-exempt',
  'five intervals at a gate are no loss; the approval renews the heartbeat',
  () => {
    const run = startRun();
    run.say(answered(run), 1_000);
    run.say(answered(run), 2_000);
    expect(run.state.session.status).toBe('awaiting_gate');
    run.say({ type: 'time_passed' }, 2_000 + 5 * INTERVAL);
    expect(run.state.session.status).toBe('awaiting_gate');
    const { gateId: gate_id = '', packetHash: packet_hash = '' } = run.state.people.gates[0] ?? {};
    run.say(
      { type: 'gate_decided', gate_id, packet_hash, decision: 'approve', approver: 'boss', reason: 'ok' },
      200_000,
    );
    expect(run.state.session.status).toBe('in_progress');
    expect(lastSeen(run)).toBe(200_000);
  },
);
