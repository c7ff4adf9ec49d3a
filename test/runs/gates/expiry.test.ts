/** Nothing waits for ever: whatever a person is asked has an end of its own, and a yes does not outlast its own end. */
import { describe, expect, test } from 'vitest';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate.ts';
import { eventsOf } from '../endings/turns.ts';
import { asked, CAPS, operator, planOf, type Rig, type RigOptions, rig, START_MS, shown, silent } from '../rig.ts';
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
      tools: { lost: { ...LOST, produces: ['done'], execute: silent } },
      plans: [planOf([{ id: 's1', tool: 'lost' }])],
    },
    'wait_expired',
  ],
];

/** What a person was shown, whichever way they were asked. */
async function packetOf(bench: Rig, runId: string): Promise<{ readonly kind: unknown; readonly until: number }> {
  const { pending, handoverHash } = await bench.runtime.outcome(runId);
  const packet = await bench.runtime.packet(pending[0]?.packetHash ?? handoverHash ?? '');
  return { kind: packet['kind'], until: Number(packet['expires_at']) };
}

describe.each(KINDS)('%s', (kind, options, reason) => {
  test('unanswered for as long as a gate lasts, the run has expired, whatever its session has left', async () => {
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
    await expect(bench.runtime.tell(runId, late)).rejects.toMatchObject({ code: 'session_terminal' });
    await bench.runtime.replay(runId);
  });
});

test('a decision about a handover that comes at its end comes too late', async () => {
  const bench = rig({ ...WORK, caps: { ...CAPS, tool_calls_max: 1 }, options: { limits: { gateTtlMs: MINUTE } } });
  const frozen = await bench.invoke();
  bench.clock.advanceTo(START_MS + MINUTE);
  const more = { delta: { tool_calls: 5 }, reason: 'go on', packetHash: frozen.handoverHash ?? '' };
  const late = await bench.runtime.extendBudget(frozen.runId, { ...more, credential: operator('boss') });
  expect(late).toMatchObject({ status: 'expired', terminalCode: 'BUDGET_EXHAUSTED', reason: 'wait_expired' });
  expect(bench.dispatches).toEqual([]);
});

/** Two calls of a tool that may be called once in twenty seconds. */
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
  const { pending } = await bench.runtime.outcome(runId);
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const yes = { packetHash, credential: operator('lead_1'), reason: 'seen' };
  return await bench.settle(bench.runtime.approve(gateId, yes));
}

test('a call that is put off beyond the end of its yes is not sent: the gate is asked again', async () => {
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
  // What was approved at 10 s for 15 s is not sent at 25 s or later.
  expect(sent.at(-1)?.dispatch_before).toBe(START_MS + 25_000 - 1);
  await bench.runtime.replay(runId);
});

test('a standing grant that ends before a call that is put off does not cover it', async () => {
  const bench = rig(twice([GATE_MODE_APPROVAL]));
  const terms = { arguments: { n: { any: true } }, uses_max: 9, microusd_max: 0, reason: 'notes' } as const;
  const grant = { grant_id: 'grant_1', tenant_id: 'tenant_a', tool: 'post', ...terms };
  await bench.runtime.giveGrant({ ...grant, expires_at: START_MS + 20_000 }, operator('lead_1'));
  const waiting = await bench.invoke();
  expect(waiting).toMatchObject({ status: 'awaiting_gate', pending: [{ stepId: 's2' }] });
  expect(bench.dispatches).toHaveLength(1);
  expect(await bench.runtime.grants()).toMatchObject([{ uses: 1 }]);
  const longer = rig(twice([GATE_MODE_APPROVAL]));
  await longer.runtime.giveGrant({ ...grant, expires_at: START_MS + 20_001 }, operator('lead_1'));
  expect(await longer.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  await longer.runtime.replay('run_1');
});

test('whoever decides about a handover names what they were shown', async () => {
  const bench = rig({ ...WORK, caps: { ...CAPS, tool_calls_max: 1 } });
  const frozen = await bench.invoke();
  const said = { by: 'boss', reason: 'go on' };
  for (const blind of [
    { type: 'escalation_decided', decision: 'terminate', ...said },
    { type: 'budget_extended', delta: { tool_calls: 5 }, ...said },
  ]) {
    await expect(bench.runtime.tell(frozen.runId, blind)).rejects.toMatchObject({
      code: 'grant_stale',
      message: expect.stringContaining('packet_hash: it is packetHash of the question, or handoverHash'),
    });
  }
  const seen = { type: 'escalation_decided', decision: 'terminate', ...said, ...shown(frozen) };
  expect(await bench.runtime.tell(frozen.runId, seen)).toMatchObject({ terminalCode: 'BUDGET_EXHAUSTED' });
  const refused = eventsOf(await bench.events(frozen.runId), 'decision_refused');
  expect(refused).toMatchObject([
    { decision: 'escalation_decided', claimed_by: 'boss', code: 'grant_stale' },
    { decision: 'budget_extended', claimed_by: 'boss', code: 'grant_stale' },
  ]);
  await bench.runtime.replay(frozen.runId);
});

test('who decides too late is on record, and the run has expired', async () => {
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
  await bench.runtime.replay(runId);
});

const WHICH = { kind: 'clarification_request', question: 'Which account?', fields: ['account'] };
const asking = (questionTtlMs: number): Rig =>
  rig({ ...WORK, plans: [WHICH, PLAN], options: { limits: { questionTtlMs, gateTtlMs: MINUTE } } });

test('a question to the user has a time of its own, whatever a gate or the session has', async () => {
  const bench = asking(5 * MINUTE);
  const { runId, question } = await bench.invoke();
  const packet = await bench.runtime.packet(question?.packetHash ?? '');
  expect(packet).toMatchObject({ kind: 'question', expires_at: START_MS + 5 * MINUTE });
  bench.clock.advanceTo(START_MS + 5 * MINUTE - 1);
  expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'paused' });
  bench.clock.advanceTo(START_MS + 5 * MINUTE);
  const late = { status: 'expired', terminalCode: 'MISSING_INFO', reason: 'wait_expired' };
  expect(await bench.runtime.resume(runId)).toMatchObject(late);
  expect(bench.dispatches).toEqual([]);
  await bench.runtime.replay(runId);
});

test('an answer that comes at the end of its question comes too late, and one before it does not', async () => {
  for (const [after, status] of [
    [5 * MINUTE, 'expired'],
    [5 * MINUTE - 1, 'completed'],
  ] as const) {
    const bench = asking(5 * MINUTE);
    const waiting = await bench.invoke();
    bench.clock.advanceTo(START_MS + after);
    const told = bench.runtime.answer(waiting.runId, asked(waiting), { account: 'a1' }, 'agt_worker');
    expect(await bench.settle(told)).toMatchObject({ status });
  }
});

test('a question is open no longer than its session', async () => {
  const bench = asking(365 * 24 * 60 * MINUTE);
  const { question } = await bench.invoke();
  const packet = await bench.runtime.packet(question?.packetHash ?? '');
  expect(packet['expires_at']).toBe(START_MS + 24 * 60 * MINUTE);
});
