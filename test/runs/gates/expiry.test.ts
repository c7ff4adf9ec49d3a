/** Tests that every wait for a person expires, and that no approval is used after its expiry. */
import { describe, expect, test } from 'vitest';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import { eventsOf } from '../endings/turns.ts';
import {
  CAPS,
  handoverPacket,
  neverAnswers,
  openQuestion,
  operator,
  planOf,
  type Rig,
  type RigOptions,
  rig,
  START_MS,
} from '../rig.ts';
import { PAY } from './bench.ts';

const MINUTE = 60_000;
const PLAN = planOf([
  { id: 's1', tool: 'read' },
  { id: 's2', tool: 'finish', depends_on: ['s1'] },
]);
const WORK: RigOptions = { tools: { read: {}, finish: { produces: ['done'] } }, plans: [PLAN] };
const LOST = {
  approval_mode: 'local_write',
  side_effect: true,
  retries_max: 0,
  idempotency: { kind: 'none' },
} as const;

const KINDS: readonly (readonly [string, RigOptions, string])[] = [
  ['action', PAY, 'gate_expired'],
  ['plan', { ...WORK, options: { graph: 'supervised' } }, 'gate_expired'],
  ['budget', { ...WORK, caps: { ...CAPS, tool_calls_max: 1 } }, 'wait_expired'],
  ['review', { ...WORK, plans: [{ no: 1 }, { no: 2 }, { no: 3 }] }, 'wait_expired'],
  [
    'in_doubt',
    {
      tools: { lost: { ...LOST, produces: ['done'], execute: neverAnswers } },
      plans: [planOf([{ id: 's1', tool: 'lost' }])],
    },
    'wait_expired',
  ],
];

/** The packet that the person sees, of a gate or a handover. */
async function packetOf(bench: Rig, runId: string): Promise<{ readonly kind: unknown; readonly until: number }> {
  const { pending, handoverHash } = await bench.runtime.sessions.get(runId);
  const packet = await bench.runtime.gates.packet(pending[0]?.packetHash ?? handoverHash ?? '');
  return { kind: packet['kind'], until: Number(packet['expires_at']) };
}

describe.each(KINDS)('%s', (kind, options, reason) => {
  test('expires the run after gateTtlMs without an answer, independent of the session', async () => {
    const limits = { ...options.options?.limits, gateTtlMs: MINUTE };
    const bench = rig({ ...options, options: { ...options.options, limits } });
    const { runId } = await bench.invoke();
    const packet = await packetOf(bench, runId);
    expect(packet).toEqual({ kind, until: bench.clock.nowMs() + MINUTE });
    const sent = bench.dispatches.length;
    bench.clock.advanceTo(packet.until - 1);
    expect(await bench.runtime.resume(runId)).toMatchObject({ terminalCode: null });
    bench.clock.advanceTo(packet.until);
    expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'expired', reason });
    expect(bench.dispatches).toHaveLength(sent);
    const late = { type: 'escalation_decided', decision: 'continue', by: 'boss', reason: 'sorry, late' };
    await expect(bench.runtime.sessions.send(runId, late)).rejects.toMatchObject({ code: 'session_terminal' });
    await bench.runtime.records.replay(runId);
  });
});

test('a decision about a handover at its expiry is too late', async () => {
  const bench = rig({ ...WORK, caps: { ...CAPS, tool_calls_max: 1 }, options: { limits: { gateTtlMs: MINUTE } } });
  const frozen = await bench.invoke();
  bench.clock.advanceTo(START_MS + MINUTE);
  const more = { delta: { tool_calls: 5 }, reason: 'go on', packetHash: frozen.handoverHash ?? '' };
  const late = await bench.runtime.sessions.extendBudget(frozen.runId, { ...more, credential: operator('boss') });
  expect(late).toMatchObject({ status: 'expired', terminalCode: 'BUDGET_EXHAUSTED', reason: 'wait_expired' });
  expect(bench.dispatches).toEqual([]);
});

/** Two calls of a tool that permits one call in twenty seconds. */
const twice = (gates: readonly string[]): RigOptions => ({
  tools: {
    post: {
      approval_mode: 'network',
      side_effect: true,
      gates,
      limits: { rate: { calls: 1, per_ms: 20_000 } },
      produces: ['done'],
    },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'post', params: { n: 1 }, requires: gates },
      { id: 's2', tool: 'post', params: { n: 2 }, requires: gates, depends_on: ['s1'] },
    ]),
  ],
  options: { limits: { gateTtlMs: 15_000 } },
});

async function approveNext(bench: Rig, runId: string) {
  const { pending } = await bench.runtime.sessions.get(runId);
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const yes = { packetHash, credential: operator('lead_1'), reason: 'seen' };
  return await bench.settle(bench.runtime.approve(gateId, yes));
}

test('does not send a call that is deferred past the expiry of its approval; the gate opens again', async () => {
  const bench = rig(twice(['GATE_PRESS']));
  const { runId } = await bench.invoke();
  expect(await approveNext(bench, runId)).toMatchObject({ pending: [{ stepId: 's2' }] });
  const again = await approveNext(bench, runId);
  expect(again).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's2' }] });
  expect(bench.dispatches).toHaveLength(1);
  bench.clock.advanceTo(START_MS + 10_000);
  expect(await approveNext(bench, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.map(({ at }) => at - START_MS)).toEqual([0, 20_000]);
  const sent = eventsOf(await bench.events(runId), 'step_attempted');
  // An approval at 10 s for 15 s does not cover a dispatch at 25 s or later.
  expect(sent.at(-1)?.dispatch_before).toBe(START_MS + 25_000 - 1);
  await bench.runtime.records.replay(runId);
});

test('a standing grant does not cover a call that is deferred past its expiry', async () => {
  const bench = rig(twice([GATE_MODE_APPROVAL]));
  const terms = { arguments: { n: { any: true } }, uses_max: 9, microusd_max: 0, reason: 'notes' } as const;
  const grant = { grant_id: 'grant_1', tenant_id: 'tenant_a', tool: 'post', ...terms };
  await bench.runtime.grants.give({ ...grant, expires_at: START_MS + 20_000 }, operator('lead_1'));
  const waiting = await bench.invoke();
  expect(waiting).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's2' }] });
  expect(bench.dispatches).toHaveLength(1);
  expect(await bench.runtime.grants.list()).toMatchObject([{ uses: 1 }]);
  const longer = rig(twice([GATE_MODE_APPROVAL]));
  await longer.runtime.grants.give({ ...grant, expires_at: START_MS + 20_001 }, operator('lead_1'));
  expect(await longer.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  await longer.runtime.records.replay('run_1');
});

test('rejects a decision about a handover without the hash of its packet', async () => {
  const bench = rig({ ...WORK, caps: { ...CAPS, tool_calls_max: 1 } });
  const frozen = await bench.invoke();
  const person = { by: 'boss', reason: 'go on' };
  for (const blind of [
    { type: 'escalation_decided', decision: 'terminate', ...person },
    { type: 'budget_extended', delta: { tool_calls: 5 }, ...person },
  ]) {
    await expect(bench.runtime.sessions.send(frozen.runId, blind)).rejects.toMatchObject({
      code: 'grant_stale',
      message: expect.stringContaining('packet_hash: it is packetHash of the question, or handoverHash'),
    });
  }
  const seen = { type: 'escalation_decided', decision: 'terminate', ...person, ...handoverPacket(frozen) };
  expect(await bench.runtime.sessions.send(frozen.runId, seen)).toMatchObject({ terminalCode: 'BUDGET_EXHAUSTED' });
  const refused = eventsOf(await bench.events(frozen.runId), 'decision_refused');
  expect(refused).toMatchObject([
    { decision: 'escalation_decided', claimed_by: 'boss', code: 'grant_stale' },
    { decision: 'budget_extended', claimed_by: 'boss', code: 'grant_stale' },
  ]);
  await bench.runtime.records.replay(frozen.runId);
});

test('records a decision that comes too late, and expires the run', async () => {
  const bench = rig({ ...PAY, options: { ...PAY.options, limits: { gateTtlMs: MINUTE } } });
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  bench.clock.advanceTo(gate?.expiresAt ?? 0);
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'sorry, late' };
  const late = await bench.runtime.approve(gate?.gateId ?? '', answer).catch((fault: unknown) => fault);
  expect(late).toMatchObject({ status: 'expired' });
  const refused = (await bench.events(runId)).filter(({ type }) => type === 'decision_refused');
  expect(refused).toMatchObject([{ gate_id: gate?.gateId, claimed_by: 'ana', code: 'gate_closed' }]);
  expect(bench.dispatches.filter(({ tool }) => tool === 'pay')).toEqual([]);
  await bench.runtime.records.replay(runId);
});

const WHICH = { kind: 'clarification_request', question: 'Which account?', fields: ['account'] };
const asking = (questionTtlMs: number): Rig =>
  rig({ ...WORK, plans: [WHICH, PLAN], options: { limits: { questionTtlMs, gateTtlMs: MINUTE } } });

test('a question to the user expires after questionTtlMs, independent of gate and session', async () => {
  const bench = asking(5 * MINUTE);
  const { runId, question } = await bench.invoke();
  const packet = await bench.runtime.gates.packet(question?.packetHash ?? '');
  expect(packet).toMatchObject({ kind: 'question', expires_at: START_MS + 5 * MINUTE });
  bench.clock.advanceTo(START_MS + 5 * MINUTE - 1);
  expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'paused' });
  bench.clock.advanceTo(START_MS + 5 * MINUTE);
  const late = { status: 'expired', terminalCode: 'MISSING_INFO', reason: 'wait_expired' };
  expect(await bench.runtime.resume(runId)).toMatchObject(late);
  expect(bench.dispatches).toEqual([]);
  await bench.runtime.records.replay(runId);
});

test('an answer at the expiry of its question is too late, and one before it is not', async () => {
  for (const [after, status] of [
    [5 * MINUTE, 'expired'],
    [5 * MINUTE - 1, 'completed'],
  ] as const) {
    const bench = asking(5 * MINUTE);
    const waiting = await bench.invoke();
    bench.clock.advanceTo(START_MS + after);
    const answering = bench.runtime.sessions.answer(
      waiting.runId,
      openQuestion(waiting),
      { account: 'a1' },
      'agt_worker',
    );
    expect(await bench.settle(answering)).toMatchObject({ status });
  }
});

test('a question expires with its session at the latest', async () => {
  const bench = asking(365 * 24 * 60 * MINUTE);
  const { question } = await bench.invoke();
  const packet = await bench.runtime.gates.packet(question?.packetHash ?? '');
  expect(packet['expires_at']).toBe(START_MS + 24 * 60 * MINUTE);
});
