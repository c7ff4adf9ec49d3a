/** Tests that the five terminal states of a session are final. */
import { expect } from 'vitest';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const OVER = { code: 'session_terminal' };

/** Every event that a person can send to a session. */
const EVENTS = [
  { type: 'run_resumed', by: 'ops_1', operator: true },
  { type: 'run_paused', cause: 'operator', by: 'ops_1' },
  { type: 'run_cancelled', by: 'ops_1', reason: 'enough' },
  { type: 'escalation_decided', decision: 'continue', by: 'ops_1', reason: 'go on' },
  { type: 'budget_extended', by: 'ops_1', reason: 'more', delta: { tool_calls_max: 5 } },
];

async function expectOver(bench: Rig, { runId, status }: RunOutcome): Promise<void> {
  const frames = (await bench.runtime.records.frames(runId)).length;
  for (const event of EVENTS) await expect(bench.runtime.sessions.send(runId, event)).rejects.toMatchObject(OVER);
  expect(await bench.runtime.resume(runId)).toMatchObject({ status });
  expect(await bench.runtime.records.frames(runId)).toHaveLength(frames);
}

const GATED: RigOptions = {
  tools: { wipe: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'wipe', requires: ['GATE_OWNER'] }])],
};

verifies('session:state:completed-terminal', 'the last accepted step completes a session', async () => {
  const bench = rig({ tools: { finish: { produces: ['done'] } }, plans: [planOf([{ id: 's1', tool: 'finish' }])] });
  const done = await bench.invoke();
  expect(done).toMatchObject({ status: 'completed', verdict: { verdict: 'accept' } });
  await expectOver(bench, done);
});

verifies('session:state:failed-terminal', 'a repeated failure fails a session', async () => {
  const bench = rig({
    tools: {
      post: {
        retries_max: 0,
        execute: () => {
          throw new Error('down');
        },
      },
    },
    plans: [1, 2, 3].map((n) => planOf([{ id: 's1', tool: 'post', params: { n } }], { plan_id: `plan_${n}` })),
    options: { limits: { onEscalate: 'end' } },
  });
  const failed = await bench.invoke();
  expect(failed.status).toBe('failed');
  await expectOver(bench, failed);
});

verifies(
  'session:state:denied-terminals',
  'a denial rejects a session, and a cancel while paused cancels it',
  async () => {
    const denied = rig(GATED);
    const [gate] = (await denied.invoke()).pending;
    const { gateId, packetHash } = gate ?? { gateId: '', packetHash: '' };
    const rejected = await denied.runtime.gates.reject(gateId, {
      packetHash,
      credential: operator('lead_1'),
      reason: 'no',
    });
    expect(rejected.status).toBe('rejected');
    await expectOver(denied, rejected);

    const paused = rig({ tools: { finish: { produces: ['done'] } }, plans: ['no plan', 'no plan', 'no plan'] });
    const { runId, status } = await paused.invoke();
    expect(status).toBe('paused');
    const cancelled = await paused.runtime.sessions.send(runId, {
      type: 'run_cancelled',
      by: 'user_1',
      reason: 'never mind',
    });
    expect(cancelled).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
    await expectOver(paused, cancelled);
  },
);

verifies('session:state:expired-terminal', 'both gate and session expiry end a session as expired', async () => {
  for (const [gateTtlMs, sessionMs] of [
    [60_000, 3_600_000],
    [3_600_000, 60_000],
  ] as const) {
    const bench = rig({ ...GATED, options: { limits: { gateTtlMs } } });
    const { runId } = await bench.invoke({ runtime: { max_session_duration_ms: sessionMs } });
    bench.clock.advanceTo(bench.clock.nowMs() + 60_000);
    const expired = await bench.runtime.resume(runId);
    expect(expired.status).toBe('expired');
    await expectOver(bench, expired);
  }
});
