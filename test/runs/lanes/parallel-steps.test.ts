/** Tests independent steps of a plan that run in parallel, each in a lane. */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/agent.ts';
import type { LaneTool } from '../../../src/agent/lane.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigTool, rig } from '../rig.ts';
import { benchAgent, benchLane, laneRig } from './bench.ts';

const LANE_CAPS = { ...CAPS, lanes_max: 10, replan_attempts_max: 2 };
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });

/** Read tools that record how many of them run at the same time. */
function reads(names: readonly string[], last: string): { tools: Record<string, RigTool>; most(): number } {
  let now = 0;
  let most = 0;
  const tools = Object.fromEntries(
    names.map((name): [string, RigTool] => [
      name,
      {
        produces: name === last ? ['done'] : [name],
        execute: async () => {
          now += 1;
          most = Math.max(most, now);
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
          now -= 1;
          return { read: name };
        },
      },
    ]),
  );
  return { tools, most: () => most };
}

describe('independent steps', () => {
  const names = ['north', 'south', 'report'];
  const plan = planOf([step('a', 'north'), step('b', 'south'), step('c', 'report', { depends_on: ['a', 'b'] })]);

  verifies('execute:parallel:uses-lanes', 'run in parallel, each in its own lane and span', async () => {
    const world = reads(names, 'report');
    const bench = rig({
      tools: world.tools,
      plans: [plan],
      caps: LANE_CAPS,
      options: { limits: { parallelSteps: 2 } },
    });
    const run = await bench.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    expect(world.most()).toBe(2);
    const lanes = run.record?.lanes ?? [];
    expect(lanes.map(({ step_id, ruling }) => [step_id, ruling])).toEqual([
      ['a', 'accepted'],
      ['b', 'accepted'],
    ]);
    expect(new Set(lanes.map(({ lane_id }) => lane_id)).size).toBe(2);
    expect(new Set(lanes.map(({ span_id }) => span_id)).size).toBe(2);
    for (const { run_id, span_id } of lanes) {
      const [first] = await bench.events(run_id);
      expect(first).toMatchObject({ type: 'goal_received', lane: { span_id, parent_run_id: run.runId } });
      expect((await bench.runtime.records.replay(run_id)).state.ending.terminal?.code).toBe('SUCCESS');
    }
    const { tool_calls } = await bench.runtime.records.trace(run.runId);
    expect(tool_calls.map(({ tool, lane }) => [tool, lane?.span_id])).toEqual([
      ['north', lanes[0]?.span_id],
      ['south', lanes[1]?.span_id],
      ['report', undefined],
    ]);
    expect(tool_calls.every(({ result_status }) => result_status === 'ok')).toBe(true);
    expect(await bench.runtime.records.observation(run.runId, tool_calls[0]?.observation ?? '')).toMatchObject({
      outcome: 'ok',
      raw: { lane_id: lanes[0]?.lane_id },
    });
    // Intents and judgements follow the order of the plan.
    const events = await bench.events(run.runId);
    const attempted = events
      .filter(({ type }) => type === 'step_attempted')
      .map((event) => 'step_id' in event && event.step_id);
    expect(attempted).toEqual(['a', 'b', 'c']);
    const judged = events
      .filter(({ type }) => type === 'step_judged')
      .map((event) => 'step_id' in event && event.step_id);
    expect(judged).toEqual(['a', 'b', 'c']);
    expect((await bench.runtime.records.replay(run.runId)).state.budget?.used).toMatchObject({
      tool_calls: 3,
      lanes: 2,
      steps: 5,
    });
  });

  test('run one after the other by default', async () => {
    const world = reads(names, 'report');
    const bench = rig({ tools: world.tools, plans: [plan], caps: LANE_CAPS });
    const run = await bench.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    expect(world.most()).toBe(1);
    expect(run.record?.lanes).toBeUndefined();
  });

  test('with side effects or gates run alone', async () => {
    const world = reads(['north', 'south'], 'none');
    const tools: Record<string, RigTool> = {
      ...world.tools,
      save: { approval_mode: 'local_write', side_effect: true },
      send: { approval_mode: 'network', side_effect: true, gates: ['GATE_SEND'], produces: ['done'] },
    };
    const plans = [
      planOf([
        step('w', 'save'),
        step('a', 'north'),
        step('n', 'send', { requires: ['GATE_SEND'] }),
        step('b', 'south'),
      ]),
    ];
    const bench = rig({ tools, plans, caps: LANE_CAPS, options: { limits: { parallelSteps: 4 } } });
    const waiting = await bench.invoke();
    expect(waiting.status).toBe('awaiting_gate');
    const state = (await bench.runtime.records.replay(waiting.runId)).state;
    expect(state.work.lanes?.map(({ step_id }) => step_id)).toEqual(['a', 'b']);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['save', 'north', 'south']);
  });

  test('keep their results if another one fails', async () => {
    const tools: Record<string, RigTool> = {
      north: { retries_max: 0, execute: () => Promise.reject(new Error('no')) },
      south: { produces: ['south'], execute: () => ({ read: 'south' }) },
      spare: { produces: ['done'] },
    };
    const plans = [
      planOf([step('a', 'north'), step('b', 'south')]),
      planOf([step('b', 'south'), step('c', 'spare')], { plan_id: 'plan_2' }),
    ];
    const bench = rig({ tools, plans, caps: LANE_CAPS, options: { limits: { parallelSteps: 2 } } });
    const run = await bench.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches.filter(({ tool }) => tool === 'south')).toHaveLength(1);
    expect(run.record?.lanes?.map(({ step_id, ruling }) => [step_id, ruling])).toEqual([
      ['b', 'accepted'],
      ['a', 'rejected'],
    ]);
  });

  test('are retried as often as their tool permits', async () => {
    let tries = 0;
    const tools: Record<string, RigTool> = {
      north: { retries_max: 2, execute: () => (++tries < 3 ? Promise.reject(new Error('busy')) : { read: 'north' }) },
      south: { produces: ['done'] },
    };
    const bench = rig({
      tools,
      plans: [planOf([step('a', 'north'), step('b', 'south')])],
      caps: LANE_CAPS,
      options: { limits: { parallelSteps: 2 } },
    });
    const run = await bench.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    expect(tries).toBe(3);
  });
});

describe('parallel lanes', () => {
  const worker = (): Agent =>
    benchAgent({
      name: 'reader',
      tools: { look: { produces: ['done'], execute: () => ({ found: 1 }) } },
      plans: Array.from({ length: 4 }, () => planOf([step('a', 'look')])),
    });
  const four = (): readonly LaneTool[] => {
    const shared = worker();
    return ['one', 'two', 'three', 'four'].map((name) => benchLane(name, shared));
  };

  verifies('lane:fanout:limit', 'a fourth is refused while three are open, and the three are unaffected', async () => {
    const boss = benchAgent({
      name: 'boss',
      tools: {},
      lanes: four(),
      caps: LANE_CAPS,
      plans: [planOf(['one', 'two', 'three', 'four'].map((tool, place) => step(`s${place + 1}`, tool)))],
    });
    const bench = laneRig([boss], { limits: { parallelSteps: 4, laneFanoutMax: 3 } });
    const run = await bench.invoke();
    const [refused, ...more] = await bench.of(run.runId, 'step_refused');
    expect(more).toEqual([]);
    expect(refused).toMatchObject({ step_id: 's4', layer: 'budget', code: 'lane_fanout_exceeded' });
    const order = (await bench.events(run.runId)).map(({ type }) => type);
    const place = order.indexOf('step_refused');
    expect(order.slice(0, place).filter((type) => type === 'step_attempted')).toHaveLength(3);
    expect(order.indexOf('lane_returned')).toBeGreaterThan(place);
    // The fourth lane opens after the others have returned.
    expect(run.terminalCode).toBe('SUCCESS');
    expect(run.record?.lanes?.map(({ step_id, ruling }) => [step_id, ruling])).toEqual(
      ['s1', 's2', 's3', 's4'].map((id) => [id, 'accepted']),
    );
  });

  verifies('lane:loopguard:trips-independently', 'each have their own loop guard', async () => {
    const again = (count: number) =>
      planOf(Array.from({ length: count }, (_, place) => step(`a${place}`, 'look', { params: { of: 'it' } })));
    const circling = benchAgent({ name: 'circling', tools: looking(), plans: [again(5)] });
    const calm = benchAgent({ name: 'calm', tools: looking('see'), plans: [sees(3), sees(3)] });
    const lanes = [benchLane('dizzy', circling), benchLane('steady', calm), benchLane('again', calm)];
    const boss = benchAgent({
      name: 'boss',
      tools: { finish: { produces: ['done'] } },
      lanes,
      caps: LANE_CAPS,
      plans: [
        planOf([step('s1', 'dizzy'), step('s2', 'steady'), step('s3', 'again')]),
        planOf([step('s4', 'finish')], { plan_id: 'plan_2' }),
      ],
    });
    const bench = laneRig([boss], { limits: { parallelSteps: 3 } });
    const run = await bench.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    const returned = (await bench.of(run.runId, 'lane_returned')).map(({ envelope }) => envelope);
    expect(returned).toContainEqual(expect.objectContaining({ reason: 'loop_detected', loop_guard_trips: 1 }));
    // Two lanes make six equal calls together, but none makes more than three.
    expect(returned.filter((each) => (each as { status: string }).status === 'completed')).toHaveLength(2);
    expect((await bench.runtime.records.replay(run.runId)).state.guard.trips).toBe(0);
  });

  const looking = (name = 'look'): Record<string, RigTool> => ({ [name]: { produces: ['done'] } });
  const sees = (count: number) =>
    planOf(Array.from({ length: count }, (_, place) => step(`a${place}`, 'see', { params: { of: 'it' } })));
});
