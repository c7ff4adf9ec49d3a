/** A call in doubt bars the same call in the run above and in the lanes below; and no lane acts for a run that has ended. */
import { beforeEach, describe, expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { LaneTool } from '../../../src/facade/lane.ts';
import type { PlanStep } from '../../../src/model/plan.ts';
import type { Agent } from '../../../src/session/declare/agent.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { CAPS, countingIds, operator, planOf, REQUEST, type RigTool, START_MS, shown, silent } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, laneRig } from './bench.ts';

const ROOM = { ...CAPS, lanes_max: 10, replan_attempts_max: 2 };
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
  test('above: the lane is told, and does not make it; how it ends says why', async () => {
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
      caps: ROOM,
      plans: [
        planOf([SAVE_IT]),
        planOf([step('s2', 'delegate')], { plan_id: 'plan_2' }),
        planOf([step('s3', 'finish')], { plan_id: 'plan_3' }),
      ],
    });
    const rig = laneRig([boss]);
    const run = await rig.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    const [child = ''] = await rig.lanes(run.runId);
    const [begun] = await rig.of(child, 'goal_received');
    const key = dispatched[0]?.key;
    expect(begun?.lane?.doubts).toEqual([
      expect.objectContaining({ call: expect.stringMatching(/^save sha256:/), key }),
    ]);
    expect(await rig.runtime.outcome(child)).toMatchObject({
      terminalCode: 'REVIEW_REQUIRED',
      reason: 'call_in_doubt',
    });
    expect(dispatched.filter(({ tool }) => tool === 'save')).toHaveLength(1);
  });

  test('below: the run above hears of it with the envelope, and neither it nor another lane makes the call', async () => {
    const worker = benchAgent({ name: 'saver', tools: save(silent), plans: [planOf([SAVE_IT]), planOf([SAVE_IT])] });
    const boss = benchAgent({
      name: 'boss',
      tools: {},
      lanes: [lane(worker), benchLane('again', worker, { approvalMode: 'local_write', budget: BUDGET })],
      caps: ROOM,
      plans: [planOf([step('s1', 'delegate')]), planOf([step('s2', 'again')], { plan_id: 'plan_2' })],
    });
    const rig = laneRig([boss]);
    const waiting = await rig.invoke();
    // The lane cannot know whether its call had its effect, and asks; nobody else may make it meanwhile.
    expect(waiting.lanes).toEqual([expect.objectContaining({ cause: 'escalated' })]);
    const first = waiting.lanes[0]?.runId ?? '';
    const asked = await rig.runtime.outcome(first);
    expect(asked.reason).toBe('call_in_doubt');
    const { packet_hash } = shown(asked);
    const next = await rig.settle(
      rig.runtime.decideEscalation(first, {
        decision: 'terminate',
        packetHash: packet_hash,
        credential: operator('ops'),
        reason: 'nobody knows',
      }),
    );
    const { state } = await rig.runtime.replay(waiting.runId);
    const [name] = Object.keys(state.work.doubts);
    expect(name).toMatch(/^save sha256:/);
    // The second lane was opened with that doubt, and has not sent the same call.
    const second = (await rig.lanes(waiting.runId)).find((id) => id !== first) ?? '';
    const [begun] = await rig.of(second, 'goal_received');
    expect(begun?.lane?.doubts).toEqual([expect.objectContaining({ call: name })]);
    expect(await rig.of(second, 'step_attempted')).toEqual([]);
    expect((await rig.runtime.outcome(second)).reason).toBe('call_in_doubt');
    expect(dispatched).toHaveLength(1);
    expect(next.terminalCode).toBeNull();
  });
});

test('a lane that ends with a call nobody has heard of has spent above what was set aside for it', async () => {
  const reached = Promise.withResolvers<void>();
  const cost = { input_tokens: 300, output_tokens: 0, microusd: 0 };
  const family = (own: readonly unknown[], below: readonly unknown[]): Agent => {
    const tools = save((args, context) => {
      reached.resolve();
      return silent(args, context);
    });
    const worker = benchAgent({ name: 'saver', tools: { save: { ...tools['save'], cost } }, plans: below });
    return benchAgent({
      name: 'boss',
      tools: { finish: { produces: ['done'] } },
      lanes: [lane(worker)],
      caps: ROOM,
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
  const { handoverHash } = await later.runtime.outcome(child);
  const word = { packetHash: handoverHash ?? '', credential: operator('ops'), reason: 'nobody knows' };
  await later.settle(later.runtime.decideEscalation(child, { decision: 'terminate', ...word }));
  const own = (await later.runtime.replay(child)).state.budget;
  expect([own?.used.input_tokens, own?.reserved]).toEqual([0, expect.objectContaining({ input_tokens: 300 })]);
  const [back] = await later.of(runId, 'lane_returned');
  expect(back?.envelope).toMatchObject({ budget_used: { input_tokens: 300, tool_calls: 1, side_effects: 1 } });
  const above = (await later.runtime.replay(runId)).state.budget;
  // Its own call beside that of the lane.
  expect(above?.used).toMatchObject({ input_tokens: 300, tool_calls: 2, side_effects: 1 });
});

describe('lanes at once', () => {
  test('do not make the same call beside each other: the second is refused while the first is out', async () => {
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
      caps: ROOM,
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

describe('a run that has ended', () => {
  test('has nobody working for it: what a lane would still send is not stored, and the lane ends', async () => {
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
          caps: ROOM,
          plans: plans ? [planOf([step('s1', 'delegate')])] : [],
        }),
      ];
    };
    const first = laneRig(make(true), { journal, clock });
    const waiting = await first.invoke();
    // The run above ends while its lane cannot be reached: as if the process that drove it had been alone with it.
    const alone = laneRig(make(false), {
      clock,
      journal: {
        ...journal,
        list: async (filter) => (filter.session === waiting.lanes[0]?.runId ? [] : await journal.list(filter)),
      },
    });
    await alone.settle(alone.runtime.cancel(waiting.runId, { credential: operator('ops'), reason: 'no longer' }));
    expect((await alone.runtime.outcome(waiting.runId)).status).toBe('cancelled');

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
