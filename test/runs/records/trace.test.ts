/** The tool calls and escalations of a trace, and its pointers to observations. */
import { expect, test } from 'vitest';
import { parse } from '../../../src/model/json/parse.ts';
import { RunTrace } from '../../../src/model/record/trace.ts';
import { illegalMoves, standingOf } from '../../../src/replay/walk-run.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { kernelOf } from '../graphs/kernel.ts';
import { neverAnswers, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

verifies(
  'trace:tool-calls:five-subfields',
  'an answer, a failure and a timeout have five fields each, and the pointer resolves to the observation',
  async () => {
    const plan = planOf([
      { id: 'a', tool: 'reads' },
      { id: 'b', tool: 'fails', depends_on: ['a'], optional: true },
      { id: 'c', tool: 'stalls', depends_on: ['a'], optional: true },
      { id: 'd', tool: 'finish', depends_on: ['a'] },
    ]);
    const bench = rig({
      tools: {
        reads: { execute: () => ({ total: 42 }) },
        fails: {
          execute: () => {
            throw new Error('no such order');
          },
          retries_max: 0,
        },
        stalls: { execute: neverAnswers, retries_max: 0 },
        finish: { produces: ['done'] },
      },
      plans: [plan],
    });
    const { runId } = await bench.invoke();
    const trace = await bench.runtime.records.trace(runId);
    expect(parse(RunTrace, trace, 'input_invalid')).toEqual(trace);
    const byTool = new Map(trace.tool_calls.map((call) => [call.tool, call]));
    expect([...byTool].map(([tool, { result_status }]) => [tool, result_status])).toEqual([
      ['reads', 'ok'],
      ['fails', 'error'],
      ['stalls', 'timeout'],
      ['finish', 'ok'],
    ]);
    const transcripts = await bench.runtime.records.transcripts(runId);
    for (const call of trace.tool_calls) {
      expect(Object.keys(call)).toEqual(['tool', 'args_hash', 'request_id', 'result_status', 'observation']);
      const transcript = transcripts.find(({ transcript_id }) => transcript_id === call.request_id);
      expect(call.args_hash).toBe(transcript?.call.args_hash);
      const { outcome, raw, call_id } = await bench.runtime.records.observation(runId, call.observation ?? '');
      expect({ outcome, raw, call_id }).toEqual({
        outcome: call.result_status,
        raw: transcript?.result.raw,
        call_id: call.request_id,
      });
    }
    expect((await bench.runtime.records.observation(runId, byTool.get('reads')?.observation ?? '')).raw).toEqual({
      total: 42,
    });
    const elsewhere = `sha256:${'0'.repeat(64)}#/0`;
    await expect(bench.runtime.records.observation(runId, elsewhere)).rejects.toMatchObject({ code: 'input_invalid' });
  },
);

verifies('trace:tool-calls:five-subfields', 'finds a large answer that is stored outside the journal', async () => {
  const text = 'x'.repeat(200_000);
  const bench = rig({
    tools: { reads: { execute: () => ({ text }) }, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'reads' },
        { id: 'b', tool: 'finish', depends_on: ['a'] },
      ]),
    ],
  });
  const { runId } = await bench.invoke();
  const [first] = (await bench.runtime.records.trace(runId)).tool_calls;
  expect((await bench.runtime.records.observation(runId, first?.observation ?? '')).raw).toEqual({ text });
});

const GATED: RigOptions = {
  tools: { pay: { approval_mode: 'destructive', gates: ['GATE_FINANCE'], side_effect: true, produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'pay', requires: ['GATE_FINANCE'] }])],
};

async function runAtGate(): Promise<{ readonly bench: Rig; readonly runId: string; readonly gate: Gate }> {
  const bench = rig(GATED);
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  return { bench, runId, gate };
}
type Gate = Awaited<ReturnType<Rig['invoke']>>['pending'][number];

const answerTo = (gate: Gate) => ({ packetHash: gate.packetHash, credential: operator('ana'), reason: 'checked' });

const ID = 'trace:escalations:request-decision-outcome';

verifies(ID, 'an approved, a rejected and an expired gate have request, decision, approver and outcome', async () => {
  const approved = await runAtGate();
  await approved.bench.settle(approved.bench.runtime.approve(approved.gate.gateId, answerTo(approved.gate)));
  const rejected = await runAtGate();
  await rejected.bench.settle(rejected.bench.runtime.gates.reject(rejected.gate.gateId, answerTo(rejected.gate)));
  const expired = await runAtGate();
  expired.bench.clock.advanceTo(expired.gate.expiresAt + 1);
  await expired.bench.settle(expired.bench.runtime.resume(expired.runId));
  for (const [{ bench, runId, gate }, expected] of [
    [approved, { decision: 'approve', approver: 'ana', outcome: 'continued' }],
    [rejected, { decision: 'reject', approver: 'ana', outcome: 'terminated' }],
    [expired, { decision: 'none', approver: 'none', outcome: 'expired' }],
  ] as const) {
    const { escalation_events } = await bench.runtime.records.trace(runId);
    expect(escalation_events).toMatchObject([
      {
        request: {
          kind: 'gate',
          gate_id: gate.gateId,
          name: 'GATE_FINANCE',
          gate_kind: 'action',
          step_id: 'a',
          packet_hash: gate.packetHash,
        },
        ...expected,
        settled_at: expect.any(Number),
      },
    ]);
  }
});

verifies(ID, 'an exit from human approval without its event is no valid trajectory', async () => {
  const { bench, runId, gate } = await runAtGate();
  await bench.settle(bench.runtime.approve(gate.gateId, answerTo(gate)));
  const env = kernelOf(GATED);
  const { moves } = standingOf(env, await bench.runtime.records.frames(runId));
  const { escalation_events } = await bench.runtime.records.trace(runId);
  expect(moves.some(({ from }) => from === 'human_approval')).toBe(true);
  expect(illegalMoves(env, moves, escalation_events)).toEqual([]);
  expect(illegalMoves(env, moves, [])[0]).toMatch(/leads out of human_approval, and no request .* settled/);
  const undecided = escalation_events.map((event) => ({ ...event, settled_at: null }));
  expect(illegalMoves(env, moves, undecided)[0]).toMatch(/human_approval/);
  const [first, ...rest] = moves;
  if (first === undefined) throw new Error('no moves');
  expect(illegalMoves(env, [{ ...first, to: 'terminate' }, ...rest], escalation_events).join()).toMatch(/moves from/);
});

test('a waiting run has no trace yet', async () => {
  const { bench, runId } = await runAtGate();
  await expect(bench.runtime.records.trace(runId)).rejects.toMatchObject({
    message: expect.stringContaining('has not ended'),
  });
});

test('trace and summary are the same in another process', async () => {
  const { bench, runId, gate } = await runAtGate();
  await bench.settle(bench.runtime.approve(gate.gateId, answerTo(gate)));
  const later = restartProcess(bench, GATED);
  expect(await later.runtime.records.trace(runId)).toEqual(await bench.runtime.records.trace(runId));
  expect(await later.runtime.records.account(runId)).toBe(await bench.runtime.records.account(runId));
  expect(await later.runtime.records.account(runId)).toContain('called pay (ok), spent');
});
