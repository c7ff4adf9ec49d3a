/** Tests the time to live of a gate, which is independent of that of the session. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, rig, START_MS } from '../rig.ts';

const MINUTE = 60_000;

const benchOf = (gateTtlMs: number): Rig =>
  rig({
    tools: { wipe: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'wipe', requires: ['GATE_OWNER'] }])],
    options: { limits: { gateTtlMs } },
  });

verifies(
  ['gate:ttl:expired', 'session:state:expired-terminal'],
  'a gate that is not answered in time ends the session as expired, finally',
  async () => {
    const bench = benchOf(MINUTE);
    const { runId, pending } = await bench.invoke();
    bench.clock.advanceTo(START_MS + MINUTE - 1);
    expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'awaiting_gate' });
    bench.clock.advanceTo(START_MS + MINUTE + 1_000);
    expect(await bench.runtime.resume(runId)).toMatchObject({
      status: 'expired',
      terminalCode: 'CONFIRM_REQUIRED',
      reason: 'gate_expired',
    });
    const { gateId, packetHash } = pending[0] ?? { gateId: '', packetHash: '' };
    const answer = { packetHash, credential: operator('lead_1'), reason: 'sorry, late' };
    await expect(bench.runtime.approve(gateId, answer)).rejects.toMatchObject({
      code: 'session_terminal',
      message: `gate ${gateId} expired undecided; it was open until ${new Date(START_MS + MINUTE).toISOString()}`,
    });
    const resume = { type: 'run_resumed', by: 'ops_1', operator: true };
    await expect(bench.runtime.sessions.send(runId, resume)).rejects.toMatchObject({ code: 'session_terminal' });
    expect(bench.dispatches).toEqual([]);
    expect(await bench.journal.gates({ session: runId })).toMatchObject([{ status: 'expired' }]);
  },
);

verifies('gate:ttl:expired', 'an approval after the expiry does not count', async () => {
  const bench = benchOf(MINUTE);
  const { pending } = await bench.invoke();
  bench.clock.advanceTo(START_MS + MINUTE);
  const { gateId, packetHash } = pending[0] ?? { gateId: '', packetHash: '' };
  const late = await bench.runtime.approve(gateId, {
    packetHash,
    credential: operator('lead_1'),
    reason: 'just in time?',
  });
  expect(late).toMatchObject({ status: 'expired', reason: 'gate_expired' });
  expect(bench.dispatches).toEqual([]);
});

verifies('gate:ttl:independent-of-session-ttl', 'a short gate expires in a long session', async () => {
  const bench = benchOf(MINUTE);
  const ttl = 240 * MINUTE;
  const { runId } = await bench.invoke({ runtime: { max_session_duration_ms: ttl } });
  bench.clock.advanceTo(START_MS + 2 * MINUTE);
  expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'expired', reason: 'gate_expired' });
  const { state } = await bench.runtime.records.replay(runId);
  expect(state.session.expiresAt).toBe(START_MS + ttl);
  expect(state.now).toBeLessThan(state.session.expiresAt);
});

verifies(
  ['gate:ttl:independent-of-session-ttl', 'session:state:expired-terminal'],
  'a short session expires at a long gate',
  async () => {
    const bench = benchOf(240 * MINUTE);
    const { runId } = await bench.invoke({ runtime: { max_session_duration_ms: MINUTE } });
    bench.clock.advanceTo(START_MS + MINUTE);
    expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'expired', reason: 'session_expired' });
    const resume = { type: 'run_resumed', by: 'ops_1', operator: true };
    await expect(bench.runtime.sessions.send(runId, resume)).rejects.toMatchObject({ code: 'session_terminal' });
  },
);
