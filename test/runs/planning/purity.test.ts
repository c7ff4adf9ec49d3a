/** Tests that planning has no side effects: a planner receives data and returns data. */
import { expect } from 'vitest';
import { assertJson } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

verifies(
  'plan:purity:no-side-effects',
  'passes only JSON to the planner, and causes no call, effect or charge while planning',
  async () => {
    const bench = rig({
      tools: { pay: { approval_mode: 'local_write', side_effect: true }, finish: { produces: ['done'] } },
      plans: [
        planOf([
          { id: 'a', tool: 'pay' },
          { id: 'b', tool: 'finish' },
        ]),
      ],
      options: { graph: 'supervised' },
    });
    const { runId, pending } = await bench.invoke();
    expect(pending).toHaveLength(1);
    expect(bench.planner.requests).toHaveLength(1);
    for (const request of bench.planner.requests) expect(() => assertJson(request)).not.toThrow();
    expect(bench.dispatches).toEqual([]);
    expect(await bench.journal.effects(runId)).toEqual([]);
    const { state } = await bench.runtime.records.replay(runId);
    expect(state.budget?.used).toMatchObject({ tool_calls: 0, side_effects: 0, external_api_calls: 0 });
  },
);
