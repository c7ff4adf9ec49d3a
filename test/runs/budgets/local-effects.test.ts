/** The two side effects of the coding profile apply to the workspace only. */
import { expect, test } from 'vitest';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
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

verifies(ID, 'denies a change outside the workspace before a gate opens, with both side effects left', async () => {
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
    const { budget } = (await bench.runtime.records.replay(runId)).state;
    expect([budget?.caps.side_effects_max, budget?.used.side_effects]).toEqual([2, 0]);
  }
});

verifies(ID, 'makes a change inside the workspace', async () => {
  const bench = workspace(LOCAL);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(1);
});

test('an explicit side_effects_max allows side effects outside the workspace', async () => {
  const pushing = { approval_mode: 'network', side_effect: true, gates: ['GATE_PUSH'] } as const;
  const bench = workspace(pushing, { side_effects_max: 1 });
  expect(await bench.invoke()).toMatchObject({ status: 'awaiting_gate' });
});
