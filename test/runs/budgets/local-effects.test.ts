/** The two side effects of a code workspace are for that workspace, and for nothing beyond it. */
import { expect, test } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type Rig, type RigTool, rig } from '../rig.ts';

const ID = 'budget:defaults-code:twelve-caps';
const LOCAL = { approval_mode: 'local_write', side_effect: true } as const;

function workspace(tool: RigTool, overrides: AgentSpec['budget']['overrides'] = {}): Rig {
  return rig({
    tools: { write: { ...LOCAL, produces: ['done'] }, act: { ...tool, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'act', ...(tool.gates === undefined ? {} : { requires: tool.gates }) }])],
    agent: (agent) => ({ ...agent, budget: { profile: 'coding', overrides } }),
  });
}

verifies(
  ID,
  'a change outside the workspace is denied with both side effects left, before anybody is asked',
  async () => {
    const outside: readonly RigTool[] = [
      { approval_mode: 'network', side_effect: true, gates: ['GATE_PUSH'] },
      { approval_mode: 'destructive', side_effect: true, gates: ['GATE_DEPLOY'] },
      { ...LOCAL, external: true },
    ];
    for (const tool of outside) {
      const bench = workspace(tool);
      const { runId, terminalCode, reason } = await bench.invoke();
      expect({ terminalCode, reason }).toEqual({ terminalCode: 'PERMISSION_DENIED', reason: 'side_effect_not_local' });
      expect(bench.dispatches).toEqual([]);
      expect(eventsOf(await bench.events(runId), 'gate_opened')).toEqual([]);
      const { budget } = (await bench.runtime.replay(runId)).state;
      expect([budget?.caps.side_effects_max, budget?.used.side_effects]).toEqual([2, 0]);
    }
  },
);

verifies(ID, 'one inside it is made', async () => {
  const bench = workspace(LOCAL);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(1);
});

test('whoever states how many there may be answers for where they are', async () => {
  const pushing = { approval_mode: 'network', side_effect: true, gates: ['GATE_PUSH'] } as const;
  const bench = workspace(pushing, { side_effects_max: 1 });
  expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate' });
});
