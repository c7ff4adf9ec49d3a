/** Tests gates inside lanes: the approver sees the call of the lane, and only this call is made. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/agent.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { CAPS, operator, planOf, type RigTool } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, type LaneRig, laneRig, type RigSetup } from './bench.ts';

const LANE_CAPS = { ...CAPS, lanes_max: 5, replan_attempts_max: 2 };
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });
const PAY: Readonly<Record<string, RigTool>> = {
  pay: {
    approval_mode: 'destructive',
    side_effect: true,
    gates: ['GATE_A'],
    produces: ['done'],
    idempotency: { kind: 'none' },
  },
};
const PAYING = planOf([step('p', 'pay', { params: { amount: 5 }, requires: ['GATE_A'] })]);
const BUDGET = { ...LANE_BUDGET, sideEffectsMax: 2 };

const payer = (plans: readonly unknown[] = [PAYING]): Agent => benchAgent({ name: 'payer', tools: PAY, plans });

function boss(worker: Agent, mode: 'local_write' | 'delegated' = 'local_write'): Agent {
  const delegate = benchLane('delegate', worker, { approvalMode: mode, budget: BUDGET });
  const requires = mode === 'delegated' ? { requires: delegate.spec.gates } : {};
  return benchAgent({
    name: 'boss',
    tools: { finish: { produces: ['done'] } },
    lanes: [delegate],
    caps: LANE_CAPS,
    plans: [planOf([step('s1', 'delegate', requires)]), planOf([step('s2', 'finish')], { plan_id: 'plan_2' })],
  });
}

const paying = (setup?: RigSetup): LaneRig => laneRig([boss(payer())], setup);

beforeEach(() => {
  dispatched.length = 0;
});

describe('a gate inside a lane', () => {
  test('is listed by the parent with its call, and its approval lets both continue', async () => {
    const rig = paying();
    const waiting = await rig.invoke();
    expect(waiting).toMatchObject({ status: 'awaiting_gate', terminalCode: null });
    const [gate] = waiting.pending;
    const [lane] = waiting.lanes;
    expect(gate).toMatchObject({ name: 'GATE_A', stepId: 'p', lane: { laneId: lane?.laneId, runId: lane?.runId } });
    expect(lane).toMatchObject({ stepId: 's1', cause: 'gate' });
    expect(waiting.suspended).toMatchObject({ code: 'CONFIRM_REQUIRED', reason: 'lane_waits' });
    const packet = await rig.runtime.gates.packet(gate?.packetHash ?? '');
    expect(packet).toMatchObject({ action: 'pay', parameters: { amount: 5 } });
    expect(dispatched).toEqual([]);

    const done = await rig.approve(waiting);
    expect(done).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
    expect(dispatched.map(({ tool, args }) => [tool, args])).toEqual([['pay', { amount: 5 }]]);
    expect((await rig.runtime.records.replay(waiting.runId)).state.budget?.used.side_effects).toBe(1);
    expect((await rig.runtime.records.replay(lane?.runId ?? '')).state.people.approvals).toHaveLength(1);
  });

  test('is named by the session and the progress of the parent until it is decided', async () => {
    const rig = paying();
    const runtime = {
      max_session_duration_ms: 3_600_000,
      heartbeat_interval_ms: 400_000,
      progress_interval_ms: 10_000,
    };
    const waiting = await rig.invoke({ mode: 'long_running', runtime });
    expect(await rig.runtime.sessions.contract(waiting.runId)).toMatchObject({ awaiting_gate: 'GATE_A' });
    const next = rig.runtime.sessions.progress(waiting.runId)[Symbol.asyncIterator]().next();
    expect((await rig.settle(next)).value).toMatchObject({ awaiting_gate: 'GATE_A' });
    await rig.approve(waiting);
    expect(await rig.runtime.sessions.contract(waiting.runId)).not.toHaveProperty('awaiting_gate');
  });

  test('with two gates of one call is one entry of the parent, which shows what is decided', async () => {
    const gates = ['GATE_A', 'GATE_B'];
    const tools = { pay: { ...PAY['pay'], gates } };
    const plans = [planOf([step('p', 'pay', { params: { amount: 5 }, requires: gates })])];
    const rig = laneRig([boss(benchAgent({ name: 'payer', tools, plans }))]);
    const waiting = await rig.invoke();
    const [gate, ...others] = waiting.pending;
    expect([gate?.gates.map(({ name }) => name), others]).toEqual([gates, []]);
    const { gateId = '', packetHash = '' } = gate ?? {};
    const answer = { packetHash, credential: operator('ana'), reason: 'seen', gates: ['GATE_B'] };
    const half = await rig.settle(rig.runtime.approve(gateId, answer));
    expect(half).toMatchObject({
      runId: waiting.runId,
      pending: [
        {
          gateId,
          gates: [
            { name: 'GATE_A', decided_by: null },
            { name: 'GATE_B', decided_by: 'ana' },
          ],
        },
      ],
    });
    expect(dispatched).toEqual([]);
    expect(await rig.approve(half)).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
    expect(dispatched.map(({ tool }) => tool)).toEqual(['pay']);
    await rig.runtime.records.replay(waiting.runId);
  });

  test('that is rejected ends the lane, and the parent continues with another plan', async () => {
    const rig = paying();
    const waiting = await rig.invoke();
    const { gateId, packetHash } = waiting.pending[0] ?? { gateId: '', packetHash: '' };
    const done = await rig.settle(
      rig.runtime.gates.reject(gateId, { packetHash, credential: operator('ana'), reason: 'too much' }),
    );
    expect(done).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
    expect(done.record?.lanes).toEqual([expect.objectContaining({ status: 'rejected', ruling: 'rejected' })]);
    expect(dispatched.map(({ tool }) => tool)).toEqual(['finish']);
  });

  test('opens after the gate of the lane itself, which shows the task', async () => {
    const rig = laneRig([boss(payer(), 'delegated')]);
    const first = await rig.invoke();
    expect(first.pending).toEqual([expect.not.objectContaining({ lane: expect.anything() })]);
    expect(await rig.lanes(first.runId)).toEqual([]);
    const second = await rig.approve(first);
    expect(second.runId).toBe(first.runId);
    expect(second.pending).toEqual([expect.objectContaining({ name: 'GATE_A', lane: expect.anything() })]);
    expect(dispatched).toEqual([]);
    expect((await rig.approve(second)).terminalCode).toBe('SUCCESS');
    expect(dispatched).toHaveLength(1);
  });

  test('expires with its lane', async () => {
    const rig = paying({ limits: { gateTtlMs: 60_000 } });
    const waiting = await rig.invoke();
    rig.clock.advanceTo(rig.clock.nowMs() + 61_000);
    const done = await rig.settle(rig.runtime.resume(waiting.runId));
    const [child = ''] = await rig.lanes(waiting.runId);
    expect(await rig.runtime.sessions.get(child)).toMatchObject({ status: 'expired' });
    expect(done).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
    expect(dispatched.map(({ tool }) => tool)).toEqual(['finish']);
  });

  test('is withdrawn when the parent is cancelled, and no call is made', async () => {
    const rig = paying();
    const waiting = await rig.invoke();
    const ended = await rig.settle(
      rig.runtime.sessions.cancel(waiting.runId, { credential: operator('ops'), reason: 'no longer' }),
    );
    expect(ended).toMatchObject({ runId: waiting.runId, terminalCode: 'USER_CANCEL', status: 'cancelled' });
    const [child = ''] = await rig.lanes(waiting.runId);
    expect(await rig.runtime.sessions.get(child)).toMatchObject({ status: 'cancelled', pending: [] });
    await expect(rig.approve(waiting)).rejects.toMatchObject({ code: 'session_terminal' });
    expect(dispatched).toEqual([]);
  });

  test('in a lane of a lane is listed by the top run', async () => {
    const middle = benchAgent({
      name: 'middle',
      tools: {},
      lanes: [benchLane('inner', payer(), { approvalMode: 'local_write', budget: BUDGET })],
      caps: LANE_CAPS,
      plans: [planOf([step('m', 'inner')])],
    });
    const outer = {
      ...BUDGET,
      stepsMax: 10,
      toolCallsMax: 10,
      externalApiCallsMax: 10,
      inputTokensMax: 5_000,
      outputTokensMax: 5_000,
      inferenceCostUsdMax: 5,
      sideEffectsMax: 4,
      lanesMax: 2,
    };
    const top = benchAgent({
      name: 'top',
      tools: {},
      lanes: [benchLane('outer', middle, { approvalMode: 'local_write', budget: outer })],
      caps: { ...LANE_CAPS, lanes_max: 10 },
      plans: [planOf([step('t', 'outer')])],
    });
    const rig = laneRig([top]);
    const waiting = await rig.invoke();
    expect(waiting.pending).toEqual([expect.objectContaining({ name: 'GATE_A' })]);
    const done = await rig.approve(waiting);
    expect(done).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
    expect(dispatched).toHaveLength(1);
    const depths = await Promise.all(
      (await rig.lanes(waiting.runId)).map(async (id) => (await rig.of(id, 'goal_received'))[0]?.lane?.depth),
    );
    expect(depths.toSorted()).toEqual([1, 2]);
  });
});

describe('only the shown call runs', () => {
  test('an approval covers the packet of one lane only', async () => {
    const shared = payer([PAYING, planOf([step('p', 'pay', { params: { amount: 500 }, requires: ['GATE_A'] })])]);
    const lanes = ['small', 'large'].map((name) =>
      benchLane(name, shared, { approvalMode: 'local_write', budget: BUDGET }),
    );
    const chief = benchAgent({
      name: 'chief',
      tools: {},
      lanes,
      caps: LANE_CAPS,
      plans: [planOf([step('s1', 'small'), step('s2', 'large')])],
    });
    const rig = laneRig([chief], { limits: { parallelSteps: 2 } });
    const waiting = await rig.invoke();
    const [first, second] = waiting.pending;
    expect(waiting.pending).toHaveLength(2);
    const credential = operator('ana');
    // The packet of one lane does not approve the gate of the other.
    const crossed = { packetHash: first?.packetHash ?? '', credential, reason: 'seen' };
    await expect(rig.settle(rig.runtime.approve(second?.gateId ?? '', crossed))).rejects.toMatchObject({
      code: 'grant_stale',
    });
    expect(dispatched).toEqual([]);
    await rig.approve(waiting, 0);
    expect(dispatched.map(({ args }) => args)).toEqual([await amountOf(rig, first?.packetHash)]);
    await rig.approve(waiting, 1);
    expect(dispatched.map(({ args }) => args)).toEqual([
      await amountOf(rig, first?.packetHash),
      await amountOf(rig, second?.packetHash),
    ]);
    expect((await rig.runtime.sessions.get(waiting.runId)).terminalCode).toBe('SUCCESS');
  });

  const amountOf = async (rig: LaneRig, hash = ''): Promise<JsonObject> =>
    ((await rig.runtime.gates.packet(hash)) as { readonly parameters: JsonObject }).parameters;

  test('the approval of the lane itself opens no gate inside it', async () => {
    const rig = laneRig([boss(payer(), 'delegated')]);
    const first = await rig.invoke();
    const second = await rig.approve(first);
    const stale = first.pending[0];
    const again = { packetHash: stale?.packetHash ?? '', credential: operator('ana'), reason: 'seen' };
    await expect(rig.settle(rig.runtime.approve(second.pending[0]?.gateId ?? '', again))).rejects.toMatchObject({
      code: 'grant_stale',
    });
    expect(dispatched).toEqual([]);
  });

  test('an edited call of a lane needs its own approval', async () => {
    const rig = paying();
    const waiting = await rig.invoke();
    const { gateId, packetHash } = waiting.pending[0] ?? { gateId: '', packetHash: '' };
    const edited = await rig.settle(
      rig.runtime.gates.edit(gateId, {
        packetHash,
        parameters: { amount: 3 },
        credential: operator('ana'),
        reason: 'less',
      }),
    );
    expect(edited.runId).toBe(waiting.runId);
    expect(edited.pending[0]?.packetHash).not.toBe(packetHash);
    const gate = edited.pending[0];
    const yes = { packetHash: gate?.packetHash ?? '', credential: operator('ben'), reason: 'seen' };
    await rig.settle(rig.runtime.approve(gate?.gateId ?? '', yes));
    expect(dispatched.map(({ args }) => args)).toEqual([{ amount: 3 }]);
  });
});
