/** Tests that a call in doubt blocks its tool and the success of its run until a person decides. */
import { describe, expect, test } from 'vitest';
import type { Address } from '../../../src/model/json/hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { CAPS, DECISION, handoverPacket, operator, planOf, type Rig, type RigTool, rig } from '../rig.ts';

const pay = (answers: readonly ('lost' | 'paid')[], changes: Partial<RigTool> = {}): RigTool => {
  let calls = 0;
  return {
    side_effect: true,
    approval_mode: 'local_write',
    produces: ['done'],
    retries_max: 0,
    idempotency: { kind: 'none' },
    execute: () => {
      const answer = answers[calls] ?? 'paid';
      calls += 1;
      if (answer === 'lost') throw new Error('socket hang up');
      return { ok: true };
    },
    ...changes,
  };
};
const payment = (plan_id: string, memo: string) =>
  planOf([{ id: 's1', tool: 'pay', params: { amount: 5, memo } }], { plan_id });
const paid = ({ dispatches }: Rig): number => dispatches.filter(({ tool }) => tool === 'pay').length;

const decide = (bench: Rig, run: RunOutcome, decision: 'continue' | 'finalize' | 'terminate') =>
  bench.settle(
    bench.runtime.sessions.decideEscalation(run.runId, {
      decision,
      packetHash: handoverPacket(run).packet_hash,
      credential: operator('ops'),
      reason: 'the bank was asked',
    }),
  );
async function packetOf(bench: Rig, hash: string): Promise<JsonObject> {
  return JSON.parse(await bench.journal.blob(hash as Address)) as JsonObject;
}

test('a re-plan that changes one word of a memo does not pay again', async () => {
  const bench = rig({
    tools: { pay: pay(['lost']) },
    plans: [payment('plan_1', 'rent may'), payment('plan_2', 'rent of may')],
  });
  const run = await bench.invoke();
  expect(paid(bench)).toBe(1);
  expect(run).toMatchObject({ status: 'paused', terminalCode: null, reason: 'call_in_doubt' });
  expect(run.suspended?.code).toBe('REVIEW_REQUIRED');
  expect(run.doubts).toEqual([expect.objectContaining({ tool: 'pay', stepId: 's1', callId: 'call_1' })]);
});

describe('a call in doubt', () => {
  test('is shown with its arguments in the packet, and a yes lets the other call be made', async () => {
    const bench = rig({
      tools: { pay: pay(['lost']) },
      plans: [payment('plan_1', 'rent may'), payment('plan_2', 'rent of may')],
    });
    const run = await bench.invoke();
    const packet = await packetOf(bench, handoverPacket(run).packet_hash);
    expect(packet['kind']).toBe('in_doubt');
    expect(packet['calls_in_doubt']).toEqual([
      {
        tool: 'pay',
        idempotency_key: bench.dispatches[0]?.key,
        since: expect.any(Number),
        settled_by: expect.any(Number),
        sent: { call_id: 'call_1', step_id: 's1', parameters: { amount: 5, memo: 'rent may' } },
      },
    ]);
    const ended = await decide(bench, run, 'continue');
    expect(ended.terminalCode).toBe('SUCCESS');
    expect(paid(bench)).toBe(2);
    await bench.runtime.records.replay(run.runId);
  });

  test('is shown in the packets of gates of other tools', async () => {
    const bench = rig({
      tools: {
        pay: { ...pay(['lost']), produces: [] },
        mail: { side_effect: true, approval_mode: 'destructive', gates: ['GATE_A'], produces: ['done'] },
      },
      plans: [
        planOf([{ id: 's1', tool: 'pay', params: { amount: 5 } }]),
        planOf([{ id: 's2', tool: 'mail', requires: ['GATE_A'] }], { plan_id: 'plan_2' }),
      ],
      options: { decisions: [DECISION] },
    });
    const run = await bench.invoke();
    const [gate] = run.pending;
    const packet = await packetOf(bench, gate?.packetHash ?? '');
    expect(packet['action']).toBe('mail');
    expect(packet['calls_in_doubt']).toEqual([expect.objectContaining({ tool: 'pay' })]);
  });

  test('keeps a run whose goal is met from success until a person has decided', async () => {
    const bench = rig({
      tools: { pay: { ...pay(['lost']), produces: [] }, look: { produces: ['done'] } },
      plans: [
        planOf([{ id: 's1', tool: 'pay', params: { amount: 5 } }]),
        planOf([{ id: 's2', tool: 'look' }], { plan_id: 'plan_2' }),
      ],
    });
    const run = await bench.invoke();
    expect(run).toMatchObject({ status: 'paused', terminalCode: null, reason: 'call_in_doubt' });
    expect(run.suspended?.code).toBe('REVIEW_REQUIRED');
    expect(run.why.join('\n')).toContain('pay (step s1, call_1) returned no result');
    const ended = await decide(bench, run, 'continue');
    expect(ended).toMatchObject({ terminalCode: 'SUCCESS', doubts: [] });
    await bench.runtime.records.replay(run.runId);
  });

  test('of an optional step keeps a partial success waiting, and a person can finish the run', async () => {
    const bench = rig({
      tools: { pay: { ...pay(['lost']), produces: [] }, look: { produces: ['done'] } },
      plans: [
        planOf([
          { id: 's1', tool: 'pay', optional: true },
          { id: 's2', tool: 'look' },
        ]),
      ],
    });
    const run = await bench.invoke();
    expect(run).toMatchObject({ status: 'paused', reason: 'call_in_doubt' });
    const ended = await decide(bench, run, 'finalize');
    expect(ended).toMatchObject({ terminalCode: 'PARTIAL_SUCCESS', reason: 'finished_by_decision' });
    expect(ended.doubts).toEqual([expect.objectContaining({ tool: 'pay', callId: 'call_1' })]);
  });

  /** A run with a payment in doubt that has no budget left for its mail. */
  const shortOfBudget = (): Rig =>
    rig({
      tools: {
        pay: { ...pay(['lost']), produces: [] },
        mail: { side_effect: true, approval_mode: 'local_write', produces: ['done'] },
      },
      caps: { ...CAPS, side_effects_max: 1 },
      plans: [payment('plan_1', 'rent'), planOf([{ id: 's2', tool: 'mail' }], { plan_id: 'plan_2' })],
    });

  test.each(['finalize', 'continue'] as const)(
    'is shown to a person who finalizes another escalation, and their "%s" then ends the run',
    async (decision) => {
      const bench = shortOfBudget();
      const run = await bench.invoke();
      expect(run).toMatchObject({ status: 'paused', reason: 'budget_exhausted' });
      const waiting = await decide(bench, run, 'finalize');
      expect(waiting).toMatchObject({ status: 'paused', terminalCode: null, reason: 'call_in_doubt' });
      expect(waiting.suspended?.code).toBe('REVIEW_REQUIRED');
      expect(waiting.why.join('\n')).toContain('pay (step s1, call_1) returned no result');
      const packet = await packetOf(bench, handoverPacket(waiting).packet_hash);
      expect(packet).toMatchObject({ kind: 'in_doubt', calls_in_doubt: [{ tool: 'pay' }] });
      const ended = await decide(bench, waiting, decision);
      expect(ended).toMatchObject({ terminalCode: 'PARTIAL_SUCCESS', reason: 'finished_by_decision' });
      expect(ended.doubts).toHaveLength(decision === 'finalize' ? 1 : 0);
      expect(paid(bench)).toBe(1);
      await bench.runtime.records.replay(run.runId);
    },
  );

  test.each(['cancel', 'terminate', 'expiry'] as const)('%s ends the run and lists it', async (ending) => {
    const bench = rig({
      tools: { pay: pay(['lost']) },
      plans: [payment('plan_1', 'rent may'), payment('plan_2', 'rent of may')],
    });
    const run = await bench.invoke();
    if (ending === 'cancel')
      await bench.settle(bench.runtime.sessions.cancel(run.runId, { credential: operator('ops'), reason: 'stop' }));
    if (ending === 'terminate') await decide(bench, run, 'terminate');
    if (ending === 'expiry') {
      bench.clock.advanceTo(bench.clock.nowMs() + 30 * 86_400_000);
      await bench.settle(bench.runtime.resume(run.runId));
    }
    const ended = await bench.runtime.sessions.get(run.runId);
    expect(ended.terminalCode).toBe(ending === 'cancel' ? 'USER_CANCEL' : 'REVIEW_REQUIRED');
    expect(ended.doubts).toEqual([expect.objectContaining({ tool: 'pay', stepId: 's1', callId: 'call_1' })]);
    expect(paid(bench)).toBe(1);
  });

  test('of a tool that is idempotent by nature does not exist', async () => {
    const bench = rig({
      tools: { pay: pay(['lost'], { idempotency: { kind: 'natural' } }) },
      plans: [payment('plan_1', 'rent may'), payment('plan_2', 'rent of may')],
    });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', doubts: [] });
    expect(paid(bench)).toBe(2);
  });

  test('blocks its tool behind a dispatcher too', async () => {
    const dispatch: RigTool = { ...pay([]), unwrap: { tool: '/name', args: '/args' } };
    const bench = rig({
      tools: { pay: { ...pay(['lost']), produces: [] }, dispatch },
      plans: [
        planOf([{ id: 's1', tool: 'pay', params: { amount: 5 } }]),
        planOf([{ id: 's2', tool: 'dispatch', params: { name: 'pay', args: { amount: 6 } } }], { plan_id: 'plan_2' }),
      ],
    });
    expect(await bench.invoke()).toMatchObject({ status: 'paused', reason: 'call_in_doubt' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['pay']);
  });
});
