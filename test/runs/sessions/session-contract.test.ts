/** A long-running run is a session, whose contract any process can read from the journal. */
import { describe, expect, test } from 'vitest';
import { Session } from '../../../src/model/run/session.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { operator, planOf, REQUEST, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';

const HOUR_MS = 3_600_000;
const SPAWN = {
  mode: 'long_running',
  runtime: { max_session_duration_ms: 4 * HOUR_MS, heartbeat_interval_ms: 60_000 },
};

const STEPS = planOf([
  { id: 's1', tool: 'one' },
  { id: 's2', tool: 'two', depends_on: ['s1'] },
  { id: 's3', tool: 'three', depends_on: ['s2'] },
  { id: 's4', tool: 'four', depends_on: ['s3'], requires: ['GATE_FINANCE_APPROVAL'] },
]);

const OPTIONS: RigOptions = {
  tools: {
    one: {},
    two: {},
    three: {},
    four: { approval_mode: 'destructive', gates: ['GATE_FINANCE_APPROVAL'], produces: ['done'] },
  },
  plans: [STEPS],
};

/** A session that has finished three of four steps and waits for approval of the last. */
async function sessionAtGate(options: RigOptions = OPTIONS): Promise<Rig> {
  const bench = rig(options);
  expect(await bench.invoke(SPAWN)).toMatchObject({ status: 'awaiting_gate' });
  return bench;
}

async function approve({ runtime, settle }: Rig): Promise<void> {
  const { pending } = await runtime.sessions.get('run_1');
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await settle(runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' }));
}

verifies('session:contract:identity-fields', 'has six identity fields', async () => {
  const { runtime } = await sessionAtGate();
  const session = await runtime.sessions.contract('run_1');
  expect(session).toMatchObject({
    session_id: 'run_1',
    tenant_id: 'tenant_a',
    intent: 'work',
    owner_actor: 'agt_worker',
    started_at: new Date(START_MS).toISOString(),
    status: 'awaiting_gate',
    awaiting_gate: 'GATE_FINANCE_APPROVAL',
  });
  expect(session.started_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  expect(Session.safeParse(session).success).toBe(true);
});

verifies(
  'session:contract:heartbeat-object',
  'a heartbeat has its interval, its limit and the last sign of life',
  async () => {
    const clock = simulatedClock(START_MS);
    const bench = await sessionAtGate({
      ...OPTIONS,
      world: { clock, timer: clock },
      tools: {
        ...OPTIONS.tools,
        two: {
          execute: () => {
            clock.advanceTo(START_MS + 5_000);
            return { ok: true };
          },
        },
      },
    });
    const { heartbeat } = await bench.runtime.sessions.contract('run_1');
    expect(Object.keys(heartbeat).toSorted()).toEqual(['interval_ms', 'last_seen', 'ttl_ms']);
    expect(heartbeat).toMatchObject({ interval_ms: 60_000, ttl_ms: 4 * HOUR_MS });
    expect(Date.parse(heartbeat.last_seen)).toBe(START_MS + 5_000);
  },
);

verifies(
  'session:contract:checkpoint-entries',
  'each verdict has an entry with four fields, oldest first',
  async () => {
    const { runtime, journal } = await sessionAtGate();
    const { checkpoints } = await runtime.sessions.contract('run_1');
    expect(checkpoints.map(({ after_step, critic_verdict }) => [after_step, critic_verdict])).toEqual([
      [null, 'ok'],
      ['s1', 'accept'],
      ['s2', 'accept'],
      ['s3', 'accept'],
    ]);
    for (const entry of checkpoints) {
      expect(Object.keys(entry).toSorted()).toEqual(['after_step', 'checkpoint_id', 'critic_verdict', 'saved_at']);
      const { row, text } = await journal.checkpoint(entry.checkpoint_id);
      expect(JSON.parse(text)).toMatchObject({ after_step: entry.after_step, critic_verdict: entry.critic_verdict });
      const frame = (await runtime.records.frames('run_1')).find(({ seq }) => seq === row.seq);
      expect(Date.parse(entry.saved_at)).toBe(frame?.at);
    }
  },
);

verifies('session:contract:next-step', 'names the next step, and none when all are done', async () => {
  const bench = await sessionAtGate();
  expect((await bench.runtime.sessions.contract('run_1')).next_step).toBe('s4');
  await approve(bench);
  expect(await bench.runtime.sessions.contract('run_1')).toMatchObject({
    next_step: null,
    status: 'completed',
    terminal_code: 'SUCCESS',
  });
});

const newer: RigOptions = {
  ...OPTIONS,
  plans: [],
  agent: (agent) => ({ ...agent, pins: { ...agent.pins, pack_pin: 'ctxpack.bench@2.0.0', snapshot_pin: 'kg_9' } }),
};

describe('pins', () => {
  verifies('session:contract:pins', "newer packs and snapshots do not change a session's pins", async () => {
    const first = await sessionAtGate();
    const pins = { pack_pin: 'ctxpack.bench@1.0.0', snapshot_pin: 'kg_1' };
    expect(await first.runtime.sessions.contract('run_1')).toMatchObject(pins);
    const later = restartProcess(first, newer);
    expect(await later.runtime.sessions.contract('run_1')).toMatchObject(pins);
    await expect(later.runtime.resume('run_1')).rejects.toMatchObject({ code: 'pack_version_mismatch' });
    expect(await later.runtime.sessions.contract('run_1')).toMatchObject(pins);
  });

  verifies('session:contract:pins', 'cannot be edited', async () => {
    const { runtime } = await sessionAtGate();
    const session = await runtime.sessions.contract('run_1');
    expect(() => Object.assign(session, { pack_pin: 'ctxpack.bench@9' })).toThrow(TypeError);
    expect(await runtime.sessions.contract('run_1')).toEqual(session);
    // A migration to pins that the process does not have is rejected, even for an operator.
    const to = { pack_pin: 'ctxpack.other@1', snapshot_pin: 'kg_1' };
    const edit = runtime.sessions.migrate('run_1', { to, credential: operator('ops_1'), reason: 'I like it better' });
    await expect(edit).rejects.toMatchObject({ code: 'pin_immutable' });
    expect(await runtime.sessions.contract('run_1')).toMatchObject({ pack_pin: session.pack_pin });
  });
});

verifies('session:spawn:trigger', 'long_running with an hour creates a session, any other mode does not', async () => {
  const bench = rig({
    tools: { one: { execute: () => new Promise(() => undefined) } },
    plans: [planOf([{ id: 's1', tool: 'one' }]), planOf([{ id: 's1', tool: 'one' }])],
  });
  const runtime = { max_session_duration_ms: HOUR_MS };
  void bench.runtime.invoke({ ...REQUEST, mode: 'long_running', runtime });
  void bench.runtime.invoke(REQUEST);
  while (bench.dispatches.length < 2) await new Promise<void>((resolve) => setImmediate(resolve));
  expect(await bench.runtime.sessions.contract('run_1')).toMatchObject({ session_id: 'run_1', status: 'in_progress' });
  await expect(bench.runtime.sessions.contract('run_2')).rejects.toMatchObject({ code: 'session_not_found' });
  // A run without the contract has no progress either.
  await expect(bench.runtime.sessions.progress('run_2')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'session_not_found',
  });
});

test('reports an unknown session', async () => {
  await expect(rig({}).runtime.sessions.contract('run_9')).rejects.toMatchObject({ code: 'session_not_found' });
});
