/** A tenant's quota lowers the caps of a run and never raises them. */
import { expect, test } from 'vitest';
import type { World } from '../../../src/agent/world.ts';
import type { PartialCaps } from '../../../src/model/budget/budget.ts';
import { benchAgent, benchLane, laneRig } from '../lanes/bench.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const policyWithQuota = (quota: PartialCaps): World['policy'] => ({
  goals: { check: () => ({ cleared: true, rule: null }) },
  plans: { version: '1', invariants: () => [] },
  quota,
});

function rigWithQuota(quota: PartialCaps): Rig {
  const steps = ['read', 'finish'].map((tool, n) => ({ id: `s${n}`, tool }));
  return rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [planOf(steps)],
    world: { policy: policyWithQuota(quota) },
  });
}

const capOf = async (bench: Rig): Promise<unknown> => {
  const { runId } = await bench.invoke();
  const started = (await bench.events(runId)).find((event) => event.type === 'run_initialized');
  return started?.caps.tool_calls_max;
};

test('applies the lower of quota and agent budget', async () => {
  expect(await capOf(rigWithQuota({ tool_calls_max: 1 }))).toBe(1);
  expect(await capOf(rigWithQuota({ tool_calls_max: 1_000 }))).toBe(CAPS.tool_calls_max);
  const bench = rigWithQuota({ tool_calls_max: 1 });
  expect((await bench.invoke()).terminalCode).not.toBe('SUCCESS');
  expect(bench.dispatches.length).toBeLessThanOrEqual(1);
});

test('rejects an invalid quota at construction', () => {
  expect(() => rigWithQuota({ tool_calls_max: -1 })).toThrow(/tool_calls_max/);
});

test('applies the quota to lanes as well', async () => {
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
  const bench = laneRig([boss], {
    world: { policy: policyWithQuota({ roles: { planner: { input_tokens_max: 7 } } }) },
  });
  const { runId } = await bench.invoke();
  const [lane = ''] = await bench.lanes(runId);
  const [started] = await bench.of(lane, 'run_initialized');
  expect(started?.caps).toMatchObject({ tool_calls_max: 5, roles: { planner: { input_tokens_max: 7 } } });
});
