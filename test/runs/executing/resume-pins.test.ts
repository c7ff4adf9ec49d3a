/** Tests that a run resumes only with the context pack and snapshot it was started with. */
import { expect } from 'vitest';
import type { AgentPins } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions } from '../rig.ts';
import { crashDuringCall, restartProcess } from './crashed-process.ts';

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
  verifies(id, `${code}: rejects the resume, calls nothing and changes nothing`, async () => {
    const first = await crashDuringCall('two', pinnedTo({}));
    const newer = restartProcess(first, { ...pinnedTo(pins), plans: [] });
    const [before] = await newer.journal.list({});
    await expect(newer.runtime.resume('run_1')).rejects.toMatchObject({ code });
    expect(await newer.journal.list({})).toEqual([before]);
    expect(await newer.runtime.sessions.get('run_1')).toMatchObject({ status: 'in_progress', terminalCode: null });
    expect(newer.dispatches).toEqual([]);

    const same = restartProcess(first, { ...pinnedTo({}), plans: [] });
    expect(await same.settle(same.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  });
}
