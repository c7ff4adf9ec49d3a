/** Tests that invalid output ends the run after the allowed repairs, and at high risk after none. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type Rig, rig } from '../rig.ts';

const IDS = ['terminate:validation-fail:after-allowed-repairs', 'pathology:validator-retry-storm:capped'];

const bench = (risk: 'low' | 'high', retries_max: number): Rig =>
  rig({
    tools: { make: { produces: ['done'], retries_max, output_schema: { type: 'object', required: ['id'] } } },
    plans: [1, 2, 3, 4].map((n) => planOf([{ id: 'a', tool: 'make', params: { n } }], { plan_id: `plan_${n}` })),
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) }),
    caps: { ...CAPS, retry_count_max: 2 },
    options: { limits: { onEscalate: 'end' } },
  });

verifies(IDS, 'ends with VALIDATION_FAIL after two repairs', async () => {
  const making = bench('low', 0);
  expect(await making.invoke()).toMatchObject({ status: 'failed', terminalCode: 'VALIDATION_FAIL' });
  expect(making.dispatches).toHaveLength(3);
  expect(making.planner.requests).toHaveLength(3);
});

verifies(IDS, 'counts retries against their own cap in every repair', async () => {
  const making = bench('low', 9);
  expect(await making.invoke()).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
  expect(making.dispatches).toHaveLength(9);
});

verifies(IDS, 'at high risk, ends without a repair', async () => {
  const making = bench('high', 9);
  expect(await making.invoke()).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'tool_result_invalid' });
  expect(making.dispatches).toHaveLength(1);
  expect(making.planner.requests).toHaveLength(1);
});
