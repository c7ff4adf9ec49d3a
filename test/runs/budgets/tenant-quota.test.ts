/** The quota of a tenant lowers what a run may spend, whatever its agent's budget says, and never raises it. */
import { expect, test } from 'vitest';
import type { World } from '../../../src/facade/world.ts';
import type { PartialCaps } from '../../../src/model/budget.ts';
import { benchAgent, benchLane, laneRig } from '../lanes/bench.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const ruledBy = (quota: PartialCaps): World['policy'] => ({
  goals: { check: () => ({ cleared: true, rule: null }) },
  plans: { version: '1', invariants: () => [] },
  quota,
});

function under(quota: PartialCaps): Rig {
  const steps = ['read', 'finish'].map((tool, n) => ({ id: `s${n}`, tool }));
  return rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [planOf(steps)],
    world: { policy: ruledBy(quota) },
  });
}

const capOf = async (bench: Rig): Promise<unknown> => {
  const { runId } = await bench.invoke();
  const started = (await bench.events(runId)).find((event) => event.type === 'run_initialized');
  return started?.caps.tool_calls_max;
};

test('a run is held under the quota, and under the budget of its agent where that is lower', async () => {
  expect(await capOf(under({ tool_calls_max: 1 }))).toBe(1);
  expect(await capOf(under({ tool_calls_max: 1_000 }))).toBe(CAPS.tool_calls_max);
  const bench = under({ tool_calls_max: 1 });
  expect((await bench.invoke()).terminalCode).not.toBe('SUCCESS');
  expect(bench.dispatches.length).toBeLessThanOrEqual(1);
});

test('a quota that is none is refused before anything runs', () => {
  expect(() => under({ tool_calls_max: -1 })).toThrow(/tool_calls_max/);
});

test('a lane is held under it as well as under what its parent leaves it', async () => {
  const worker = benchAgent({
    name: 'worker',
    tools: { look: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
  });
  const boss = benchAgent({
    name: 'boss',
    tools: {},
    lanes: [benchLane('delegate', worker)],
    caps: { ...CAPS, lanes_max: 2 },
    plans: [planOf([{ id: 's', tool: 'delegate' }])],
  });
  const bench = laneRig([boss], { world: { policy: ruledBy({ roles: { planner: { input_tokens_max: 7 } } }) } });
  const { runId } = await bench.invoke();
  const [lane = ''] = await bench.lanes(runId);
  const [started] = await bench.of(lane, 'run_initialized');
  expect(started?.caps).toMatchObject({ tool_calls_max: 5, roles: { planner: { input_tokens_max: 7 } } });
});
