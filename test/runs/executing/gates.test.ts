/** Tests that a call waits until every required gate is approved for exactly the packet it shows. */
import { describe, expect, test } from 'vitest';
import type { GateAnswer } from '../../../src/runtime/gates/decide-gate.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, rig, START_MS } from '../rig.ts';

function benchOf(gates: readonly string[]): Rig {
  return rig({
    tools: { wipe: { approval_mode: 'destructive', side_effect: true, gates, produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'wipe', params: { disk: 'd1' }, requires: gates }])],
  });
}

type Answer = readonly [gateId: string, answer: GateAnswer];

function answerTo({ pending }: RunOutcome, name: string, changes: Partial<GateAnswer> = {}): Answer {
  const gate = pending.find(({ gates }) => gates.some((each) => each.name === name));
  if (gate === undefined) throw new Error(`no gate ${name}`);
  const { gateId, packetHash } = gate;
  return [gateId, { packetHash, credential: operator('lead_1'), reason: 'checked', ...changes }];
}

verifies(
  'gate:block:until-approved',
  'does not call the tool with one of two gates approved, and calls it once with both',
  async () => {
    const bench = benchOf(['GATE_SECURITY', 'GATE_OWNER']);
    const waiting = await bench.invoke();
    expect(waiting.pending).toMatchObject([
      {
        gates: [
          { name: 'GATE_SECURITY', decided_by: null },
          { name: 'GATE_OWNER', decided_by: null },
        ],
      },
    ]);
    const half = await bench.runtime.approve(...answerTo(waiting, 'GATE_OWNER', { gates: ['GATE_OWNER'] }));
    expect(half).toMatchObject({
      status: 'awaiting_gate',
      pending: [
        {
          gateId: waiting.pending[0]?.gateId,
          packetHash: waiting.pending[0]?.packetHash,
          gates: [
            { name: 'GATE_SECURITY', decided_by: null },
            { name: 'GATE_OWNER', decided_by: 'lead_1' },
          ],
        },
      ],
    });
    expect(bench.dispatches).toEqual([]);
    const done = await bench.runtime.approve(...answerTo(waiting, 'GATE_SECURITY', { credential: operator('sec_1') }));
    expect(done.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    expect(done.record?.approvals.map(({ gate, approver }) => [gate, approver])).toEqual([
      ['GATE_OWNER', 'lead_1'],
      ['GATE_SECURITY', 'sec_1'],
    ]);
  },
);

test('one approval covers the retries of a call', async () => {
  let sent = 0;
  const execute = (): { ok: boolean } => {
    sent += 1;
    if (sent === 1) throw new Error('not now');
    return { ok: true };
  };
  const gates = ['GATE_OWNER'];
  const idempotency = { kind: 'key', retention_ms: 600_000 } as const;
  const bench = rig({
    tools: {
      wipe: { approval_mode: 'destructive', side_effect: true, gates, produces: ['done'], idempotency, execute },
    },
    plans: [planOf([{ id: 's1', tool: 'wipe', params: { disk: 'd1' }, requires: gates }])],
  });
  const waiting = await bench.invoke();
  const done = await bench.settle(bench.runtime.approve(...answerTo(waiting, 'GATE_OWNER')));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS', record: { approvals: [{ approver: 'lead_1' }] } });
  expect(bench.dispatches).toHaveLength(2);
});

verifies('gate:deny:rejected', 'a rejection ends the session as rejected', async () => {
  const bench = benchOf(['GATE_OWNER']);
  const waiting = await bench.invoke();
  const denied = await bench.runtime.gates.reject(...answerTo(waiting, 'GATE_OWNER'));
  expect(denied).toMatchObject({
    status: 'rejected',
    terminalCode: 'PERMISSION_DENIED',
    reason: 'approval_rejected',
    record: { approvals: [{ decision: 'reject', approver: 'lead_1' }] },
  });
  expect(bench.dispatches).toEqual([]);
  const decided = { code: 'gate_closed' };
  await expect(bench.runtime.approve(...answerTo(waiting, 'GATE_OWNER'))).rejects.toMatchObject(decided);
  const over = { code: 'session_terminal' };
  const resume = { type: 'run_resumed', by: 'ops_1', operator: true };
  await expect(bench.runtime.sessions.send(waiting.runId, resume)).rejects.toMatchObject(over);
  expect(await bench.runtime.sessions.get(waiting.runId)).toMatchObject({ status: 'rejected' });
});

verifies('gate:block:until-approved', 'rejects an approval of another packet or without an approver', async () => {
  const bench = benchOf(['GATE_OWNER']);
  const waiting = await bench.invoke();
  const { approve } = bench.runtime;
  const stale = answerTo(waiting, 'GATE_OWNER', { packetHash: `sha256:${'0'.repeat(64)}` });
  await expect(approve(...stale)).rejects.toMatchObject({ code: 'grant_stale' });
  await expect(approve(...answerTo(waiting, 'GATE_OWNER', { credential: operator('') }))).rejects.toMatchObject({
    code: expect.stringMatching(/approver_missing|event_invalid/),
  });
  expect(await bench.runtime.sessions.get(waiting.runId)).toMatchObject({ status: 'awaiting_gate' });
  expect(bench.dispatches).toEqual([]);
});

describe('a second answer is rejected with the decision of the gate', () => {
  const START = new Date(START_MS).toISOString();

  test.each(['approve', 'reject'] as const)('%s: names who decided, how, when and why', async (first) => {
    const bench = benchOf(['GATE_OWNER']);
    const waiting = await bench.invoke();
    const done = await bench.runtime.gates[first](...answerTo(waiting, 'GATE_OWNER'));
    const frames = await bench.runtime.records.frames(done.runId);
    const again = answerTo(waiting, 'GATE_OWNER', { credential: operator('lead_2') });
    const how = first === 'approve' ? 'approved' : 'rejected';
    await expect(bench.runtime.approve(...again)).rejects.toMatchObject({
      code: 'gate_closed',
      message: `gate ${again[0]} was already ${how} by lead_1 at ${START} ("checked")`,
    });
    expect(await bench.runtime.records.frames(done.runId)).toEqual(frames);
  });

  test('while the call still waits for another of its gates', async () => {
    const bench = benchOf(['GATE_SECURITY', 'GATE_OWNER']);
    const waiting = await bench.invoke();
    const owner = { gates: ['GATE_OWNER'] };
    await bench.runtime.approve(...answerTo(waiting, 'GATE_OWNER', owner));
    const again = answerTo(waiting, 'GATE_OWNER', { ...owner, credential: operator('lead_2') });
    await expect(bench.runtime.approve(...again)).rejects.toMatchObject({
      code: 'gate_closed',
      message: `GATE_OWNER of gate ${again[0]} is decided already`,
    });
    expect(await bench.runtime.sessions.get(waiting.runId)).toMatchObject({ status: 'awaiting_gate' });
  });

  test('of two concurrent answers, one decides and the other is rejected', async () => {
    const bench = benchOf(['GATE_OWNER']);
    const waiting = await bench.invoke();
    const answers = ['lead_1', 'lead_2'].map((approver) =>
      answerTo(waiting, 'GATE_OWNER', { credential: operator(approver) }),
    );
    const [first, second] = await Promise.allSettled(answers.map((answer) => bench.runtime.approve(...answer)));
    expect(first).toMatchObject({ status: 'fulfilled', value: { terminalCode: 'SUCCESS' } });
    const message = expect.stringContaining('approved by lead_1');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'gate_closed', message } });
    expect(bench.dispatches).toHaveLength(1);
  });

  test('if the run ended meanwhile, names how it ended', async () => {
    const bench = benchOf(['GATE_OWNER']);
    const waiting = await bench.invoke();
    await bench.runtime.sessions.send(waiting.runId, { type: 'run_cancelled', by: 'ops_1', reason: 'enough' });
    await expect(bench.runtime.approve(...answerTo(waiting, 'GATE_OWNER'))).rejects.toMatchObject({
      code: 'session_terminal',
      message: expect.stringContaining('USER_CANCEL'),
    });
  });
});
