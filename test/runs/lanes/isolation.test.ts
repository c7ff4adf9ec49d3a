/**
 * Tests that a lane cannot reach its parent's state, opens once, does not outlive its parent, and nests at most two
 * deep.
 */
import { describe, expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import type { LaneTool } from '../../../src/agent/lane.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { CAPS, planOf, type RigTool, START_MS } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, laneRig } from './bench.ts';

const LANE_CAPS = { ...CAPS, lanes_max: 10, replan_attempts_max: 2 };
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });

function boss(
  lanes: readonly LaneTool[],
  plans: readonly unknown[],
  more: Readonly<Record<string, RigTool>> = {},
): Agent {
  return benchAgent({
    name: 'boss',
    tools: { finish: { produces: ['done'] }, ...more },
    lanes,
    caps: LANE_CAPS,
    plans,
  });
}
const OVER_TO_PLAN_2 = planOf([step('s9', 'finish')], { plan_id: 'plan_2' });

const effectsOf = ({ work }: RunState) => ({
  effects: work.effects,
  evidence: work.evidenceByType,
  facts: work.progress,
  version: work.version,
});

describe('a lane that reaches for the state of its parent', () => {
  const reaches: readonly (readonly [string, (parent: string) => unknown])[] = [
    [
      'by naming its parent',
      (parent) => ({ kind: 'observation_summary', payload: { run_id: parent, observations: ['ev_1'] } }),
    ],
    ['by requesting an effect of its parent', () => ({ kind: 'parent_effect', payload: { push: { refund: 100 } } })],
    ['by naming an unrelated run', () => ({ kind: 'plan', payload: { run_id: 'run_other' } })],
  ];

  for (const [how, proposal] of reaches) {
    verifies('lane:effects:parent-isolated', `${how}: is ended, and the parent is unchanged`, async () => {
      const gated: Readonly<Record<string, RigTool>> = {
        pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] },
      };
      const payer = benchAgent({
        name: 'payer',
        tools: gated,
        plans: [planOf([step('p', 'pay', { requires: ['GATE_A'] })])],
      });
      const lane = benchLane('delegate', payer, {
        approvalMode: 'local_write',
        budget: { ...LANE_BUDGET, sideEffectsMax: 1 },
      });
      const rig = laneRig([
        boss([lane], [planOf([step('s0', 'finish'), step('s1', 'delegate', { depends_on: ['s0'] })]), OVER_TO_PLAN_2]),
      ]);
      const waiting = await rig.invoke();
      const before = effectsOf((await rig.runtime.records.replay(waiting.runId)).state);
      const [lane0] = waiting.lanes;
      const done = await rig.settle(
        rig.runtime.sessions.send(lane0?.runId ?? '', {
          type: 'proposal_made',
          ...(proposal(waiting.runId) as object),
        }),
      );
      expect(await rig.runtime.sessions.get(lane0?.runId ?? '')).toMatchObject({
        terminalCode: 'UNSAFE_DETECTION',
        reason: 'lane_invariant_violation',
      });
      expect(done.record?.lanes).toEqual([
        expect.objectContaining({ ruling: 'rejected', reason: expect.stringContaining('lane_invariant_violation') }),
      ]);
      const turns = (await rig.runtime.records.replay(waiting.runId)).turns;
      const returned = turns.find(({ events }) => events.some(({ type }) => type === 'lane_returned'));
      expect(returned === undefined ? null : effectsOf(returned.state).effects).toEqual(before.effects);
      expect(returned === undefined ? null : effectsOf(returned.state).evidence).toEqual(before.evidence);
      expect(returned?.state.work.version).toBe(before.version);
    });
  }

  test('a lane that stays within its own run succeeds', async () => {
    const reader = benchAgent({
      name: 'reader',
      tools: { look: { produces: ['done'] } },
      plans: [planOf([step('a', 'look')])],
    });
    const rig = laneRig([boss([benchLane('delegate', reader)], [planOf([step('s1', 'delegate')])])]);
    expect((await rig.invoke()).terminalCode).toBe('SUCCESS');
  });
});

describe('after a crash', () => {
  /** A journal whose process dies at a matching append. */
  function dyingAt(journal: Journal, when: (events: string, session: string) => boolean): Journal {
    return {
      ...journal,
      append: async (append) => {
        if (when(append.frame.events, append.session)) throw new Error('the process is gone');
        await journal.append(append);
      },
    };
  }

  const SAVE: Readonly<Record<string, RigTool>> = {
    save: {
      approval_mode: 'local_write',
      side_effect: true,
      produces: ['done'],
      idempotency: { kind: 'key', retention_ms: 86_400_000 },
    },
  };
  const agents = (): readonly Agent[] => {
    const saver = benchAgent({ name: 'saver', tools: SAVE, plans: [planOf([step('a', 'save')])] });
    const lane = benchLane('delegate', saver, {
      approvalMode: 'local_write',
      budget: { ...LANE_BUDGET, sideEffectsMax: 1 },
    });
    return [boss([lane], [planOf([step('s1', 'delegate')])])];
  };
  const moments: readonly (readonly [string, string])[] = [
    ['before the lane has begun', '"lane":{'],
    [
      'before the lane has planned',
      '"type":"plan_proposed","proposal":{"plan_id":"plan_1","intent":"work","steps":[{"id":"a"',
    ],
    ['before the lane has recorded the answer of its call', '"type":"step_observed"'],
    ['before the parent has recorded the return', '"type":"lane_returned"'],
  ];

  for (const [moment, marker] of moments) {
    test(`${moment}: continues the same lane and opens no second one`, async () => {
      dispatched.length = 0;
      const journal = memoryJournal({ hash: sha256 });
      const clock = simulatedClock(START_MS);
      let armed = true;
      const dying = dyingAt(journal, (events) => armed && events.includes(marker));
      const first = laneRig(agents(), { journal: dying, clock });
      await expect(first.invoke()).rejects.toThrow('the process is gone');
      armed = false;
      const planned = (await journal.list({ order: 'oldest' })).length > 1;
      const next = laneRig(planned && moment !== moments[1]?.[0] ? agentsWithoutPlans() : agents(), { journal, clock });
      const [root] = (await journal.list({ order: 'oldest' })).map((row) => row.session_id);
      const done = await next.settle(next.runtime.resume(root ?? ''));
      expect(done).toMatchObject({ runId: root, terminalCode: 'SUCCESS' });
      expect(await next.lanes(root ?? '')).toHaveLength(1);
      expect(new Set(dispatched.map(({ key }) => key)).size).toBe(1);
      expect((await next.runtime.records.replay(root ?? '')).state.budget?.used).toMatchObject({
        lanes: 1,
        side_effects: 1,
      });
    });
  }

  /** The agents of a process that takes over and does not plan again. */
  const agentsWithoutPlans = (): readonly Agent[] => {
    const saver = benchAgent({ name: 'saver', tools: SAVE, plans: [] });
    const lane = benchLane('delegate', saver, {
      approvalMode: 'local_write',
      budget: { ...LANE_BUDGET, sideEffectsMax: 1 },
    });
    return [boss([lane], [])];
  };

  test('an approval in another process continues both the lane and its parent', async () => {
    dispatched.length = 0;
    const tools: Readonly<Record<string, RigTool>> = {
      pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] },
    };
    const make = (plans: boolean): readonly Agent[] => {
      const payer = benchAgent({
        name: 'payer',
        tools,
        plans: plans ? [planOf([step('p', 'pay', { requires: ['GATE_A'] })])] : [],
      });
      const lane = benchLane('delegate', payer, {
        approvalMode: 'local_write',
        budget: { ...LANE_BUDGET, sideEffectsMax: 1 },
      });
      return [boss([lane], plans ? [planOf([step('s1', 'delegate')])] : [])];
    };
    const journal = memoryJournal({ hash: sha256 });
    const clock = simulatedClock(START_MS);
    const waiting = await laneRig(make(true), { journal, clock }).invoke();
    // A process that has seen neither of them before.
    const other = laneRig(make(false), { journal, clock });
    expect((await other.runtime.sessions.get(waiting.runId)).pending).toHaveLength(1);
    const done = await other.approve(waiting);
    expect(done).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
    expect(dispatched.map(({ tool }) => tool)).toEqual(['pay']);
  });
});

test('a kill switch on the agent of a lane stops only this lane', async () => {
  const reader = benchAgent({
    name: 'reader',
    tools: { look: { produces: ['done'] } },
    plans: [planOf([step('a', 'look')])],
  });
  const rig = laneRig([boss([benchLane('delegate', reader)], [planOf([step('s1', 'delegate')]), OVER_TO_PLAN_2])]);
  await rig.journal.throwSwitch({
    switch_id: 'switch_1',
    scope: { agent: 'boss/delegate' },
    thrown: { by: 'ana', reason: 'it looks where it should not', at: START_MS },
    lifted: null,
  });
  const run = await rig.invoke();
  const [child = ''] = await rig.lanes(run.runId);
  expect(await rig.runtime.sessions.get(child)).toMatchObject({
    terminalCode: 'PERMISSION_DENIED',
    reason: 'kill_switch_on',
  });
  expect(run.terminalCode).toBe('SUCCESS');
});

test('a kill switch on an agent stops the lanes that work for it', async () => {
  dispatched.length = 0;
  const pay = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] } as const;
  const payer = benchAgent({
    name: 'payer',
    tools: { pay: { ...pay, gates: [...pay.gates], produces: [...pay.produces] } },
    plans: [planOf([step('p', 'pay', { requires: ['GATE_A'] })])],
  });
  const lane = benchLane('delegate', payer, {
    approvalMode: 'local_write',
    budget: { ...LANE_BUDGET, sideEffectsMax: 1 },
  });
  const rig = laneRig([boss([lane], [planOf([step('s1', 'delegate')])])]);
  const waiting = await rig.invoke();
  await rig.journal.throwSwitch({
    switch_id: 'switch_1',
    scope: { agent: 'boss' },
    thrown: { by: 'ana', reason: 'all of it', at: START_MS },
    lifted: null,
  });
  await rig.approve(waiting);
  const [child = ''] = await rig.lanes(waiting.runId);
  expect(await rig.runtime.sessions.get(child)).toMatchObject({
    terminalCode: 'PERMISSION_DENIED',
    reason: 'kill_switch_on',
  });
  expect(dispatched).toEqual([]);
});

test('rejects a journal whose lane has more time or budget than its parent left it', async () => {
  const tools: Readonly<Record<string, RigTool>> = { look: { produces: ['done'] } };
  const reader = benchAgent({ name: 'reader', tools, plans: [planOf([step('a', 'look')])] });
  const rig = laneRig([boss([benchLane('delegate', reader)], [planOf([step('s1', 'delegate')])])]);
  const [child = ''] = await rig.lanes((await rig.invoke()).runId);
  const env = kernelOf({ tools });
  const events = await rig.events(child);

  const [goal] = await rig.of(child, 'goal_received');
  const outlives = { ...goal, expires_at: (goal?.lane?.deadline ?? 0) + 1 } as RunEvent;
  expect(offer(env, before(env, events, 'goal_received'), outlives)[2]?.message).toContain('outlives its parent');

  const [begun] = await rig.of(child, 'run_initialized');
  const caps = { ...begun?.caps, wall_clock_seconds_max: (goal?.lane?.caps.wall_clock_seconds_max ?? 0) + 1 };
  const longer = { ...begun, caps } as RunEvent;
  expect(offer(env, before(env, events, 'run_initialized'), longer)[2]?.message).toContain('a larger budget');
});

describe('nesting', () => {
  const look: Readonly<Record<string, RigTool>> = { look: { produces: ['done'] } };
  const wide = {
    ...LANE_BUDGET,
    lanesMax: 3,
    stepsMax: 9,
    toolCallsMax: 9,
    externalApiCallsMax: 9,
    inputTokensMax: 3_000,
    outputTokensMax: 3_000,
    inferenceCostUsdMax: 3,
  };

  test('refuses a third level of lanes', async () => {
    const reader = benchAgent({ name: 'reader', tools: look, plans: [] });
    const nest = (name: string, lane: LaneTool): Agent =>
      benchAgent({ name, tools: {}, lanes: [lane], caps: LANE_CAPS, plans: [planOf([step(name, lane.spec.name)])] });
    const third = nest('third', benchLane('fourth', reader));
    const second = nest(
      'second',
      benchLane('below2', third, {
        budget: {
          ...wide,
          stepsMax: 14,
          toolCallsMax: 14,
          inputTokensMax: 4_000,
          outputTokensMax: 4_000,
          inferenceCostUsdMax: 4,
          externalApiCallsMax: 14,
          lanesMax: 4,
        },
      }),
    );
    const rig = laneRig([
      benchAgent({
        name: 'first',
        tools: { finish: { produces: ['done'] } },
        lanes: [
          benchLane('below1', second, {
            budget: {
              ...wide,
              stepsMax: 20,
              toolCallsMax: 20,
              inputTokensMax: 6_000,
              outputTokensMax: 6_000,
              inferenceCostUsdMax: 6,
              externalApiCallsMax: 20,
              lanesMax: 6,
            },
          }),
        ],
        caps: LANE_CAPS,
        plans: [planOf([step('f', 'below1')]), OVER_TO_PLAN_2],
      }),
    ]);
    const run = await rig.invoke();
    const lanes = await rig.lanes(run.runId);
    expect(lanes).toHaveLength(2);
    const refusals = (await Promise.all(lanes.map((id) => rig.of(id, 'step_refused')))).flat();
    expect(refusals).toEqual([expect.objectContaining({ code: 'depth_exceeded', layer: 'permission' })]);
    expect(run.terminalCode).toBe('SUCCESS');
  });
});
