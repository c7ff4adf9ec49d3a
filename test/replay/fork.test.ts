/** A fork repeats its parent up to a verdict and causes no effects unless an operator permits them. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { restartProcess } from '../runs/executing/crashed-process.ts';
import { countingIds, neverAnswers, operator, planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';

const KEYED = { kind: 'key', retention_ms: 600_000 } as const;

const OPTIONS: RigOptions = {
  tools: {
    look: { execute: () => ({ total: 42 }) },
    note: { approval_mode: 'local_write', side_effect: true, idempotency: KEYED, execute: () => ({ noted: 1 }) },
    pay: {
      approval_mode: 'destructive',
      gates: ['GATE_FINANCE'],
      side_effect: true,
      idempotency: KEYED,
      produces: ['done'],
      execute: () => ({ paid: 42 }),
    },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'note', depends_on: ['a'] },
      { id: 'c', tool: 'pay', requires: ['GATE_FINANCE'], depends_on: ['b'] },
    ]),
  ],
};

async function approved(bench: Rig, { runId, pending }: RunOutcome, how: 'approve' | 'reject' = 'approve') {
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const answer = { packetHash, credential: operator('ana'), reason: 'fine' };
  return { runId, outcome: await bench.settle(bench.runtime.gates[how](gateId, answer)) };
}

async function ended(options: RigOptions = OPTIONS): Promise<{ readonly bench: Rig; readonly runId: string }> {
  const bench = rig(options);
  const { runId } = await approved(bench, await bench.invoke());
  return { bench, runId };
}

/** The checkpoint of the last verdict on this step, or of the last verdict on a plan for null. */
async function checkpoint(bench: Rig, runId: string, step: string | null): Promise<string> {
  const { state_checkpoints } = await bench.runtime.records.trace(runId);
  const found = state_checkpoints.findLast(({ judged, after_step }) =>
    step === null ? judged === 'plan' : judged === 'step' && after_step === step,
  );
  return found?.checkpoint_id ?? 'none';
}

test('a fork continues from the verdict and dispatches nothing', async () => {
  const { bench, runId } = await ended();
  const frames = await bench.runtime.records.frames(runId);
  bench.clock.advanceTo(bench.clock.nowMs() + 30 * 86_400_000);
  const sent = bench.dispatches.length;
  const forked = await bench.settle(bench.runtime.records.fork(runId, { at: await checkpoint(bench, runId, 'a') }));
  expect(forked).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_FINANCE', stepId: 'c' }] });
  expect(forked.runId).not.toBe(runId);
  const { outcome } = await approved(bench, forked);
  expect(outcome).toMatchObject({ runId: forked.runId, terminalCode: 'SUCCESS' });
  // The note and the payment got their recorded answers; no tool was called.
  expect(bench.dispatches).toHaveLength(sent);
  const transcripts = await bench.runtime.records.transcripts(forked.runId);
  expect(transcripts.map(({ call, result }) => [call.tool, result.raw])).toEqual([
    ['look', { total: 42 }],
    ['note', { noted: 1 }],
    ['pay', { paid: 42 }],
  ]);
  expect(await bench.runtime.records.frames(runId)).toEqual(frames);
  expect(await bench.runtime.sessions.get(runId)).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a fork has its own record, trace, state and replay, in any process and in any store', async () => {
  const { bench, runId } = await ended();
  const forked = await bench.settle(bench.runtime.records.fork(runId, { at: await checkpoint(bench, runId, 'b') }));
  const { outcome } = await approved(bench, forked);
  const later = restartProcess(bench, { ...OPTIONS, plans: [] });
  for (const life of [bench, later]) {
    const { state, turns } = await life.runtime.records.replay(forked.runId);
    expect(state.id.runId).toBe(forked.runId);
    expect(state.fork).toMatchObject({ parent: runId, simulate: true });
    const frames = await life.runtime.records.frames(forked.runId);
    expect(turns.map(({ events }) => JSON.stringify(events))).toEqual(frames.map(({ events }) => events));
    expect(await life.runtime.records.trace(forked.runId)).toMatchObject({
      run_id: forked.runId,
      terminal_code: 'SUCCESS',
    });
  }
  expect(outcome.record).toMatchObject({ run_id: forked.runId });
  expect((await later.runtime.records.verify()).damaged).toEqual([]);
  const event = (await bench.events(forked.runId)).find(({ type }) => type === 'run_forked');
  expect(event).toMatchObject({ parent: { run_id: runId }, simulate: true, by: 'ambit:simulation' });
  const there = rig({ tools: { other: { produces: ['done'] } }, world: { journal: memoryJournal({ hash: sha256 }) } });
  await there.runtime.records.import(await bench.runtime.records.export(forked.runId));
  expect(await there.runtime.records.trace(forked.runId)).toEqual(await bench.runtime.records.trace(forked.runId));
  await there.runtime.records.replay(forked.runId);
});

test("an approver may decide differently in the fork, and the parent's approval does not apply to it", async () => {
  const { bench, runId } = await ended();
  const forked = await bench.settle(bench.runtime.records.fork(runId, { at: await checkpoint(bench, runId, 'b') }));
  expect(forked.status).toBe('awaiting_gate');
  const { outcome } = await approved(bench, forked, 'reject');
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
  const { first, a, b } = await bench.runtime.records.diff(runId, forked.runId);
  expect([a.terminal_code, b.terminal_code]).toEqual(['SUCCESS', 'PERMISSION_DENIED']);
  expect(first).not.toBeNull();
});

test('a fork at the verdict on the plan verifies the plan again', async () => {
  const { bench, runId } = await ended();
  const calls = bench.dispatches.length;
  const forked = await bench.settle(bench.runtime.records.fork(runId, { at: await checkpoint(bench, runId, null) }));
  expect(forked.status).toBe('awaiting_gate');
  // A read-only tool is called again.
  expect(bench.dispatches.slice(calls).map(({ tool }) => tool)).toEqual(['look']);
  expect(bench.planner.requests).toHaveLength(1);
});

test('the same call under a new plan gets the recorded answer', async () => {
  const plans = [
    planOf([{ id: 'a', tool: 'look' }]),
    planOf(
      [
        { id: 'x', tool: 'note' },
        { id: 'y', tool: 'finish', depends_on: ['x'] },
      ],
      { plan_id: 'plan_2' },
    ),
  ];
  const tools: RigOptions['tools'] = {
    look: { execute: () => ({ total: 42 }) },
    note: { approval_mode: 'local_write', side_effect: true, idempotency: KEYED, retries_max: 0 },
    finish: { produces: ['done'] },
  };
  const bench = rig({ tools, plans: [...plans, plans[1], plans[1]] });
  const { runId } = await bench.invoke();
  const at = await checkpoint(bench, runId, 'a');
  const sent = bench.dispatches.filter(({ tool }) => tool === 'note').length;
  const same = await bench.settle(bench.runtime.records.fork(runId, { at }));
  expect(same.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.filter(({ tool }) => tool === 'note')).toHaveLength(sent);
});

test('declared answers replace calls that were never made', async () => {
  const tools: RigOptions['tools'] = {
    look: { execute: () => ({ total: 42 }) },
    note: { approval_mode: 'local_write', side_effect: true, idempotency: KEYED, retries_max: 0, produces: ['done'] },
  };
  const [first, second] = [
    planOf([{ id: 'a', tool: 'look' }]),
    planOf([{ id: 'x', tool: 'note', params: { n: 1 } }], { plan_id: 'plan_2' }),
  ];
  const other = planOf([{ id: 'x', tool: 'note', params: { n: 2 } }], { plan_id: 'plan_3' });
  const bench = rig({ tools, plans: [first, second, other, other, other, other] });
  const { runId } = await bench.invoke();
  const at = await checkpoint(bench, runId, 'a');
  const sent = bench.dispatches.filter(({ tool }) => tool === 'note').length;
  const declared = await bench.settle(bench.runtime.records.fork(runId, { at, answers: { note: { noted: 2 } } }));
  expect(declared.terminalCode).toBe('SUCCESS');
  const unanswered = await bench.settle(bench.runtime.records.fork(runId, { at }));
  expect(unanswered.terminalCode).not.toBe('SUCCESS');
  const [last] = (await bench.events(unanswered.runId)).filter((event) => event.type === 'step_observed').slice(-1);
  expect(last).toMatchObject({ outcome: 'error', detail: expect.stringContaining('neither the record nor anybody') });
  expect(bench.dispatches.filter(({ tool }) => tool === 'note')).toHaveLength(sent);
});

test('a real fork needs an operator, whom the run records', async () => {
  const { bench, runId } = await ended();
  const at = await checkpoint(bench, runId, 'a');
  await expect(bench.runtime.records.fork(runId, { at, simulate: false })).rejects.toMatchObject({
    code: 'operator_required',
  });
  expect(await bench.runtime.sessions.list()).toHaveLength(1);
  const sent = bench.dispatches.length;
  const credential = operator('ben', ['operator']);
  const forked = await bench.settle(
    bench.runtime.records.fork(runId, { at, simulate: false, credential, reason: 'the first was booked wrongly' }),
  );
  expect(bench.dispatches.slice(sent).map(({ tool }) => tool)).toEqual(['note']);
  const event = (await bench.events(forked.runId)).find(({ type }) => type === 'run_forked');
  expect(event).toMatchObject({
    by: 'ben',
    simulate: false,
    proof: { credential: 'local_operator', roles: ['operator'] },
  });
  await approved(bench, forked);
  expect(bench.dispatches.slice(sent).map(({ tool }) => tool)).toEqual(['note', 'pay']);
  const keys = new Set(bench.dispatches.map(({ key }) => key));
  expect(keys.size).toBe(bench.dispatches.length);
  await bench.runtime.records.replay(forked.runId);
});

test('a fork begins only where a verdict is due', async () => {
  const { bench, runId } = await ended();
  const refused = { code: 'input_invalid', message: expect.stringContaining('ck_run_1_1, ck_run_1_2') };
  await expect(bench.runtime.records.fork(runId, { at: 'ck_none' })).rejects.toMatchObject(refused);
  const { state_checkpoints } = await bench.runtime.records.trace(runId);
  const last = state_checkpoints.findLast(({ judged }) => judged === 'run')?.checkpoint_id ?? '';
  await expect(bench.runtime.records.fork(runId, { at: last })).rejects.toMatchObject(refused);
  expect(await bench.runtime.sessions.list()).toHaveLength(1);
});

test('an imported run can be forked', async () => {
  const { bench, runId } = await ended();
  const names = countingIds();
  const there = rig({ ...OPTIONS, plans: [], world: { ids: { next: (prefix) => names.next(`${prefix}_there`) } } });
  await there.runtime.records.import(await bench.runtime.records.export(runId));
  const forked = await there.settle(there.runtime.records.fork(runId, { at: await checkpoint(bench, runId, 'a') }));
  expect(forked).toMatchObject({ runId: 'run_there_1', status: 'awaiting_gate' });
  const { outcome } = await approved(there, forked);
  expect(outcome.terminalCode).toBe('SUCCESS');
  expect(there.dispatches).toEqual([]);
  await there.runtime.records.replay('run_there_1');
});

test('rejects an answer for a tool that the run does not have', async () => {
  const { bench, runId } = await ended();
  const at = await checkpoint(bench, runId, 'a');
  const forked = bench.runtime.records.fork(runId, { at, answers: { pai: { paid: 1 } } });
  await expect(forked).rejects.toMatchObject({ code: 'input_invalid', path: '/answers' });
  await expect(forked).rejects.toThrow(/"pai": it has .*pay/);
});

/** A parent whose payment never answered. */
const lost = (probing: RigOptions['tools'] & object): RigOptions => ({
  tools: {
    look: { execute: () => ({ total: 42 }) },
    pay: {
      approval_mode: 'local_write',
      side_effect: true,
      retries_max: 0,
      idempotency: { kind: 'none' },
      produces: ['done'],
      execute: neverAnswers,
      ...probing['pay'],
    },
    ...(probing['seek'] === undefined ? {} : { seek: probing['seek'] }),
  },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'pay', depends_on: ['a'] },
    ]),
  ],
});

test('answers a call with the result that an operator or a probe reported', async () => {
  const decided = rig(lost({}));
  const { runId, suspended } = await decided.invoke();
  decided.clock.advanceTo(Number(suspended?.detail?.['settled_by']));
  const { handoverHash } = await decided.runtime.sessions.get(runId);
  const word = { packetHash: handoverHash ?? '', credential: operator('ana'), reason: 'I called the bank' };
  const happened = { result: { receipt: 'r-1' } };
  await decided.settle(decided.runtime.sessions.decideEscalation(runId, { decision: 'continue', ...word, happened }));

  const found = rig(
    lost({
      pay: { probes: { reconcile: 'seek' }, probing: { reconcile: { probe: 'seek', args: () => ({}) } } },
      seek: { execute: () => ({ finding: 'happened', result: { receipt: 'r-2' } }) },
    } as RigOptions['tools'] & object),
  );
  expect(await found.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });

  for (const [bench, receipt] of [
    [decided, 'r-1'],
    [found, 'r-2'],
  ] as const) {
    const sent = bench.dispatches.length;
    const forked = await bench.settle(
      bench.runtime.records.fork('run_1', { at: await checkpoint(bench, 'run_1', 'a') }),
    );
    expect(forked).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toHaveLength(sent);
    const paid = (await bench.runtime.records.trace(forked.runId)).tool_calls.find(({ tool }) => tool === 'pay');
    expect((await bench.runtime.records.observation(forked.runId, paid?.observation ?? '')).raw).toEqual({ receipt });
  }
});
