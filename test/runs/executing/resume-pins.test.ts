/** A run goes on with the pack and the snapshot it was started on, or not at all. */
import { expect } from 'vitest';
import type { AgentPins } from '../../../src/model/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions } from '../rig.ts';
import { diesAt, nextLife } from './lives.ts';

const pinnedTo = (pins: Partial<AgentPins>): RigOptions => ({
  tools: { one: {}, two: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 's1', tool: 'one' },
      { id: 's2', tool: 'two', depends_on: ['s1'] },
    ]),
  ],
  agent: (agent) => ({ ...agent, pins: { ...agent.pins, pack_pin: 'ctxpack.bench@3.1.0', ...pins } }),
});

for (const [id, code, pins] of [
  ['resume:pin:pack-version-mismatch', 'pack_version_mismatch', { pack_pin: 'ctxpack.bench@3.2.0' }],
  ['resume:pin:snapshot-version-mismatch', 'snapshot_version_mismatch', { snapshot_pin: 'kg_2' }],
] as const) {
  verifies(id, `${code}: it is refused, nothing is called and nothing changes`, async () => {
    const first = await diesAt('two', pinnedTo({}));
    const newer = nextLife(first, { ...pinnedTo(pins), plans: [] });
    const [before] = await newer.journal.list({});
    await expect(newer.runtime.resume('run_1')).rejects.toMatchObject({ code });
    const cancel = { type: 'run_cancelled', by: 'user_1', reason: 'enough' };
    await expect(newer.runtime.tell('run_1', cancel)).rejects.toMatchObject({ code });
    expect(await newer.journal.list({})).toEqual([before]);
    expect(await newer.runtime.outcome('run_1')).toMatchObject({ status: 'in_progress', terminalCode: null });
    expect(newer.dispatches).toEqual([]);

    const same = nextLife(first, { ...pinnedTo({}), plans: [] });
    expect(await same.settle(same.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  });
}
