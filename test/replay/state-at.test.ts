/** The state of a run after each event, and the first difference between two runs. */
import { expect, test } from 'vitest';
import { operator, rig } from '../runs/rig.ts';
import { PAYING, paid } from './paid.ts';

test('returns a JSON view of the state after every event', async () => {
  const { bench, runId } = await paid();
  const events = await bench.events(runId);
  const views = await Promise.all(events.map((_, place) => bench.runtime.records.stateAt(runId, place + 1)));
  expect(views.map(({ happened }) => happened)).toEqual(events.map(({ type }) => type));
  expect(views.map(({ event }) => event)).toEqual(events.map((_, place) => place + 1));
  expect(JSON.parse(JSON.stringify(views))).toEqual(views);
  const at = (type: string) => views[events.findIndex((event) => event.type === type)];
  expect(at('goal_received')).toMatchObject({
    node: 'classify_intent',
    plan: null,
    budget: null,
    state: { version: 0 },
  });
  expect(at('gate_opened')).toMatchObject({
    node: 'human_approval',
    session: { status: 'awaiting_gate' },
    step: { step_id: 'b', tool: 'pay', rung: 'cleared' },
    people: { gates: [{ name: 'GATE_FINANCE', step_id: 'b' }] },
    plan: {
      steps: [
        { id: 'a', status: 'committed' },
        { id: 'b', status: 'pending' },
      ],
    },
    state: { version: 1, transcripts: ['call_1'] },
  });
  expect(views.at(-1)).toMatchObject({
    session: { status: 'completed' },
    state: { version: 2, evidence: { done: 'ev_2' } },
    ending: { terminal: { code: 'SUCCESS' } },
    budget: { used: { tool_calls: 2, side_effects: 1 } },
  });
});

test('rejects a position before the first event or after the last', async () => {
  const { bench, runId } = await paid();
  const last = (await bench.events(runId)).length;
  for (const event of [0, last + 1, -1, 0.5]) {
    await expect(bench.runtime.records.stateAt(runId, event)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining(`1 to ${last}`),
    });
  }
});

test('two equal runs differ only in ids and times', async () => {
  const { bench, runId } = await paid({ ...PAYING, plans: [...(PAYING.plans ?? []), ...(PAYING.plans ?? [])] });
  bench.clock.advanceTo(bench.clock.nowMs() + 77_777);
  const { runId: second, pending } = await bench.invoke();
  // The approval takes another time than in the first run.
  bench.clock.advanceTo(bench.clock.nowMs() + 4_321);
  const [gate] = pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
  await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
  const same = await bench.runtime.records.diff(runId, second);
  expect(same).toMatchObject({ first: null, decisions: [], a: { run_id: runId }, b: { run_id: second } });
  expect(same.a).toEqual({ ...same.b, run_id: runId });
});

test('names the first difference of two runs and every decision that differs', async () => {
  const totals = [1, 2];
  const look = { execute: () => ({ total: totals.shift() ?? 0 }) };
  const bench = rig({
    ...PAYING,
    tools: { ...PAYING.tools, look },
    plans: [...(PAYING.plans ?? []), ...(PAYING.plans ?? [])],
  });
  const ended: string[] = [];
  for (const decision of ['approve', 'reject'] as const) {
    const { runId, pending } = await bench.invoke();
    const [gate] = pending;
    const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
    await bench.settle(bench.runtime.gates[decision](gate?.gateId ?? '', answer));
    ended.push(runId);
  }
  const [a = '', b = ''] = ended;
  const diff = await bench.runtime.records.diff(a, b);
  const place = (await bench.events(a)).findIndex(({ type }) => type === 'step_observed') + 1;
  expect(diff.first).toEqual({
    event: place,
    frames: [3, 3],
    path: '/raw/total',
    message: '/raw/total: first run 1, second run 2',
  });
  expect(diff.decisions).toContainEqual({
    about: 'run_terminated',
    recorded: { code: 'SUCCESS', reason: 'goal_met', suppressed: [] },
    derived: { code: 'PERMISSION_DENIED', reason: 'approval_rejected', suppressed: expect.any(Array) },
  });
  expect([diff.a.terminal_code, diff.b.terminal_code]).toEqual(['SUCCESS', 'PERMISSION_DENIED']);
  expect([diff.a.calls, diff.b.calls]).toEqual([['look', 'pay'], ['look']]);
});
