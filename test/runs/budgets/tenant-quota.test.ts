/** The quota of a tenant lowers what a run may spend, whatever its agent's budget says, and never raises it. */
import { expect, test } from 'vitest';
import type { World } from '../../../src/facade/world.ts';
import type { PartialCaps } from '../../../src/model/budget.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

function under(quota: PartialCaps): Rig {
  const policy: World['policy'] = {
    goals: { check: () => ({ cleared: true, rule: null }) },
    plans: { version: '1', invariants: () => [] },
    quota,
  };
  const steps = ['read', 'finish'].map((tool, n) => ({ id: `s${n}`, tool }));
  return rig({ tools: { read: {}, finish: { produces: ['done'] } }, plans: [planOf(steps)], world: { policy } });
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
