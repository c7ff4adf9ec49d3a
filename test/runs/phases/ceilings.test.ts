/** Budget caps are fixed before the first model call. */
import { expect } from 'vitest';
import { createHost } from '../../../src/session/host.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { firstEvent } from '../grounding/recorded-events.ts';
import { CAPS, planOf, REQUEST, type RigOptions, rig } from '../rig.ts';

const ID = 'intake:budget:allocated-before-first-model-spend';
const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

verifies(ID, 'records the caps before the first planner call', async () => {
  const recorded: string[] = [];
  const spent = { input_tokens: 5, output_tokens: 5, microusd: 5 };
  const planner = {
    propose: async () => {
      recorded.push(...(await bench.events('run_1')).map(({ type }) => type));
      return { proposal: OPTIONS.plans?.[0], author: 'model', spent, contextTokens: 0 };
    },
  };
  const limits = { plannerCost: { input_tokens: 10, output_tokens: 10, microusd: 10 } };
  const bench = rig({ ...OPTIONS, options: { planner, limits } as NonNullable<RigOptions['options']> });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  expect(recorded.at(-1)).toBe('run_initialized');
  const events = await bench.events('run_1');
  expect(firstEvent(events, 'run_initialized').caps).toMatchObject(CAPS);
  expect(events.findIndex(({ type }) => type === 'run_initialized')).toBeLessThan(
    events.findIndex(({ type }) => type === 'plan_proposed'),
  );
});

verifies(ID, 'applies the lower of quota and profile', async () => {
  const parts = partsOf(OPTIONS);
  const tenantQuota = { tool_calls_max: 3, steps_max: 1_000, output_tokens_max: 7 };
  const host = createHost({ ...parts, pins: { ...parts.pins, tenantQuota } });
  const run = await host.start(REQUEST);
  await run.runUntilIdle();
  expect(run.state.budget?.caps).toMatchObject({ ...CAPS, tool_calls_max: 3, output_tokens_max: 7 });
  expect(run.state.manifest?.budget_caps).toEqual(run.state.budget?.caps);
});
