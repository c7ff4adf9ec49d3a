/** Tests that a call in doubt blocks the same call in parent and lanes, and that no lane acts for an ended run. */
import { beforeEach, describe, expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import type { LaneTool } from '../../../src/agent/lane.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import {
  CAPS,
  countingIds,
  handoverPacket,
  neverAnswers,
  operator,
  planOf,
  REQUEST,
  type RigTool,
  START_MS,
} from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, laneRig } from './bench.ts';

const LANE_CAPS = { ...CAPS, lanes_max: 10, replan_attempts_max: 2 };
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });
const save = (execute?: RigTool['execute']): Readonly<Record<string, RigTool>> => ({
  save: {
    approval_mode: 'local_write',
    side_effect: true,
    produces: ['done'],
    idempotency: { kind: 'none' },
    retries_max: 0,
    ...(execute === undefined ? {} : { execute }),
  },
});
const SAVE_IT = step('x', 'save', { params: { what: 'it' } });
const BUDGET = { ...LANE_BUDGET, sideEffectsMax: 2 };
const lane = (worker: Agent): LaneTool =>
  benchLane('delegate', worker, { approvalMode: 'local_write', budget: BUDGET });

beforeEach(() => {
  dispatched.length = 0;
});

describe('a call in doubt', () => {
  test('in the parent: the lane does not make it and ends with call_in_doubt', async () => {
    let calls = 0;
    const tools = save(() => {
      calls += 1;
      return calls === 1 ? new Promise(() => undefined) : { saved: true };
    });
    const keyed = { save: { ...tools['save'], idempotency: { kind: 'key', retention_ms: 86_400_000 } as const } };
    const worker = benchAgent({ name: 'saver', tools: keyed, plans: [planOf([SAVE_IT])] });
    const boss = benchAgent({
      name: 'boss',
      tools: { finish: { produces: ['done'] } },
      lanes: [lane(worker)],
      caps: LANE_CAPS,
      plans: [
        planOf([SAVE_IT]),
        planOf([step('s2', 'delegate')], { plan_id: 'plan_2' }),
        planOf([step('s3', 'finish')], { plan_id: 'plan_3' }),
      ],
    });
    const rig = laneRig([boss]);
    const run = await rig.invoke();
    // The goal is met, and a person has to find out what became of the call first.
    expect(run).toMatchObject({ status: 'paused', terminalCode: null, reason: 'call_in_doubt' });
    const [child = ''] = await rig.lanes(run.runId);
    const [begun] = await rig.of(child, 'goal_received');
    const key = dispatched[0]?.key;
    expect(begun?.lane?.doubts).toEqual([
      expect.objectContaining({ call: expect.stringMatching(/^save sha256:/), key }),
    ]);
    expect(await rig.runtime.sessions.get(child)).toMatchObject({
      terminalCode: 'REVIEW_REQUIRED',
      reason: 'call_in_doubt',
    });
    expect(dispatched.filter(({ tool }) => tool === 'save')).toHaveLength(1);
  });

  test('in a lane: the envelope reports it, and neither the parent nor another lane makes the call', async () => {
    const worker = benchAgent({
      name: 'saver',
      tools: save(neverAnswers),
      plans: [planOf([SAVE_IT]), planOf([SAVE_IT])],
    });
    const boss = benchAgent({
      name: 'boss',
      tools: {},
      lanes: [lane(worker), benchLane('again', worker, { approvalMode: 'local_write', budget: BUDGET })],
      caps: LANE_CAPS,
      plans: [planOf([step('s1', 'delegate')]), planOf([step('s2', 'again')], { plan_id: 'plan_2' })],
    });
    const rig = laneRig([boss]);
    const waiting = await rig.invoke();
    // The lane cannot know whether its call had its effect, and escalates.
    expect(waiting.lanes).toEqual([expect.objectContaining({ cause: 'escalated' })]);
    const first = waiting.lanes[0]?.runId ?? '';
    const asked = await rig.runtime.sessions.get(first);
    expect(asked.reason).toBe('call_in_doubt');
    const { packet_hash } = handoverPacket(asked);
    const next = await rig.settle(
      rig.runtime.sessions.decideEscalation(first, {
        decision: 'terminate',
        packetHash: packet_hash,
        credential: operator('ops'),
        reason: 'unknown outcome',
      }),
    );
    const { state } = await rig.runtime.records.replay(waiting.runId);
    const [name] = Object.keys(state.work.doubts);
    expect(name).toMatch(/^save sha256:/);
    // The second lane was opened with this doubt and did not send the same call.
    const second = (await rig.lanes(waiting.runId)).find((id) => id !== first) ?? '';
    const [begun] = await rig.of(second, 'goal_received');
    expect(begun?.lane?.doubts).toEqual([expect.objectContaining({ call: name })]);
    expect(await rig.of(second, 'step_attempted')).toEqual([]);
    expect((await rig.runtime.sessions.get(second)).reason).toBe('call_in_doubt');
    expect(dispatched).toHaveLength(1);
    expect(next.terminalCode).toBeNull();
  });
});

test('charges the reserved cost of an unanswered call to the parent when its lane ends', async () => {
  const reached = Promise.withResolvers<void>();
  const cost = { input_tokens: 300, output_tokens: 0, microusd: 0 };
  const family = (own: readonly unknown[], below: readonly unknown[]): Agent => {
    const tools = save((args, context) => {
      reached.resolve();
      return neverAnswers(args, context);
    });
    const worker = benchAgent({ name: 'saver', tools: { save: { ...tools['save'], cost } }, plans: below });
    return benchAgent({
      name: 'boss',
      tools: { finish: { produces: ['done'] } },
      lanes: [lane(worker)],
      caps: LANE_CAPS,
      plans: own,
    });
  };
  const journal = memoryJournal({ hash: sha256 });
  const died = laneRig([family([planOf([step('s1', 'delegate')])], [planOf([SAVE_IT])])], { journal });
  void died.runtime.invoke({ ...REQUEST, agent: 'boss' });
  await reached.promise;
  const counted = countingIds();
  const ids = { next: (prefix: string) => counted.next(`${prefix}_later`) };
  const later = laneRig([family([planOf([step('s2', 'finish')])], [])], { journal, world: { ids } });
  const { runId, lanes } = await later.settle(later.runtime.resume('run_1'));
  const child = lanes[0]?.runId ?? '';
  const { handoverHash } = await later.runtime.sessions.get(child);
  const word = { packetHash: handoverHash ?? '', credential: operator('ops'), reason: 'unknown outcome' };
  await later.settle(later.runtime.sessions.decideEscalation(child, { decision: 'terminate', ...word }));
  const own = (await later.runtime.records.replay(child)).state.budget;
  expect([own?.used.input_tokens, own?.reserved]).toEqual([0, expect.objectContaining({ input_tokens: 300 })]);
  const [back] = await later.of(runId, 'lane_returned');
  expect(back?.envelope).toMatchObject({ budget_used: { input_tokens: 300, tool_calls: 1, side_effects: 1 } });
  const above = (await later.runtime.records.replay(runId)).state.budget;
  // The call of the parent itself and that of the lane.
  expect(above?.used).toMatchObject({ input_tokens: 300, tool_calls: 2, side_effects: 1 });
});

describe('parallel lanes', () => {
  test('do not make the same call at once: the second is refused while the first is in flight', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const worker = benchAgent({
      name: 'saver',
      tools: save(async () => {
        await held;
        return { saved: true };
      }),
      plans: [planOf([SAVE_IT]), planOf([SAVE_IT])],
    });
    const boss = benchAgent({
      name: 'boss',
      tools: { finish: { produces: ['done'], execute: () => ({ ok: true }) } },
      lanes: [lane(worker), benchLane('again', worker, { approvalMode: 'local_write', budget: BUDGET })],
      caps: LANE_CAPS,
      plans: [
        planOf([step('s1', 'delegate'), step('s2', 'again')]),
        planOf([step('s3', 'finish')], { plan_id: 'plan_2' }),
      ],
    });
    const rig = laneRig([boss], { limits: { parallelSteps: 2 } });
    const running = rig.runtime.invoke({ ...REQUEST, agent: 'boss' });
    for (let turn = 0; turn < 50; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    release();
    const run = await rig.settle(running);
    expect(dispatched.filter(({ tool }) => tool === 'save')).toHaveLength(1);
    const lanes = await rig.lanes(run.runId);
    const refusals = (await Promise.all(lanes.map((id) => rig.of(id, 'step_refused')))).flat();
    expect(refusals).toEqual([expect.objectContaining({ code: 'call_in_doubt', layer: 'risk' })]);
    expect(run.terminalCode).toBe('SUCCESS');
    expect(run.record?.lanes?.map(({ ruling }) => ruling)).toEqual(['accepted', 'rejected']);
  });
});

describe('an ended run', () => {
  test('ends its lane, and the next intent of the lane is not stored', async () => {
    const journal = memoryJournal({ hash: sha256 });
    const clock = simulatedClock(START_MS);
    const gated: Readonly<Record<string, RigTool>> = {
      save: { ...save()['save'], approval_mode: 'destructive', gates: ['GATE_A'] },
    };
    const make = (plans: boolean): readonly Agent[] => {
      const worker = benchAgent({
        name: 'saver',
        tools: gated,
        plans: plans ? [planOf([{ ...SAVE_IT, requires: ['GATE_A'] }])] : [],
      });
      return [
        benchAgent({
          name: 'boss',
          tools: {},
          lanes: [lane(worker)],
          caps: LANE_CAPS,
          plans: plans ? [planOf([step('s1', 'delegate')])] : [],
        }),
      ];
    };
    const first = laneRig(make(true), { journal, clock });
    const waiting = await first.invoke();
    // The parent is cancelled by a process that cannot see its lane.
    const alone = laneRig(make(false), {
      clock,
      journal: {
        ...journal,
        list: async (filter) => (filter.session === waiting.lanes[0]?.runId ? [] : await journal.list(filter)),
      },
    });
    await alone.settle(
      alone.runtime.sessions.cancel(waiting.runId, { credential: operator('ops'), reason: 'no longer' }),
    );
    expect((await alone.runtime.sessions.get(waiting.runId)).status).toBe('cancelled');

    const other = laneRig(make(false), { journal, clock });
    const outcome = await other.approve(waiting);
    expect(outcome).toMatchObject({
      runId: waiting.lanes[0]?.runId,
      terminalCode: 'PERMISSION_DENIED',
      reason: 'lane_parent_ended',
    });
    expect(dispatched).toEqual([]);
  });
});
