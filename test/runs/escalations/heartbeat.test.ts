/** The watchdog pauses a session without a heartbeat, and only an operator resumes it. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, agent, ambit, templatePlanner, tool } from '../../../src/index.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, neverAnswers, planOf, rig, START_MS } from '../rig.ts';

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

/** An agent with one tool that states no time limit and no retries, so that it has the defaults. */
const declared = (options: { readonly timeoutMs?: number } = {}): Agent =>
  agent({
    name: 'support',
    planner: templatePlanner({ ask: planOf([{ id: 's1', tool: 'orders.lookup' }], { intent: 'ask' }) }),
    tools: [
      tool({
        name: 'orders.lookup',
        description: 'Looks an order up',
        approvalMode: 'read_only',
        inputSchema: z.object({}),
        outputSchema: z.object({ status: z.string() }),
        execute: () => ({ status: 'paid' }),
        limits: options,
      }),
    ],
    boundary: 'customer_support',
    budget: 'standard',
  });

const SESSION = {
  ...REQUEST,
  mode: 'long_running',
  message: 'Is my order paid?',
  user: { name: 'ada', tenant: 'acme' },
} as const;

test('a session may have the heartbeat of the specification, 30 s, with default tools and the default planner time', async () => {
  const runtime = ambit({ agent: declared() });
  const { runId, terminalCode } = await runtime.invoke(SESSION);
  expect(terminalCode).toBe('SUCCESS');
  expect(await runtime.sessions.contract(runId)).toMatchObject({ heartbeat: { interval_ms: INTERVAL } });
});

test('refuses a heartbeat if one attempt takes longer than two intervals, with the least interval', async () => {
  const runtime = ambit({ agent: declared({ timeoutMs: 60_000 }) });
  await expect(runtime.invoke(SESSION)).rejects.toMatchObject({
    code: 'session_options_invalid',
    message: expect.stringMatching(/two intervals of 30000 ms are not longer: ask for 32901 ms or more/),
  });
});

verifies(
  'heartbeat:renew:on-every-verdict',
  'three attempts longer than two intervals together pause no session',
  async () => {
    const bench = rig({
      tools: { read: { timeout_ms: 40_000, retries_max: 2, execute: neverAnswers } },
      plans: [planOf([{ id: 'a', tool: 'read' }])],
      options: { limits: { onEscalate: 'end' } },
      caps: { ...CAPS, replan_attempts_max: 0 },
    });
    const run = await bench.invoke(REQUEST);
    expect(bench.dispatches).toHaveLength(3);
    const events = await bench.events(run.runId);
    expect(events.at(-1)?.at).toBeGreaterThan(START_MS + 4 * INTERVAL - 1);
    expect(events.filter(({ type }) => type === 'run_paused' || type === 'time_passed')).toEqual([]);
    expect(run).toMatchObject({ terminalCode: 'REPEATED_FAILURE' });
  },
);
