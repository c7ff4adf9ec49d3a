/** Tests that reading the outcome of a run does not change it. */
import { expect, test } from 'vitest';
import { planOf, type RigOptions } from '../rig.ts';
import { crashDuringCall, restartProcess } from './crashed-process.ts';

const OPTIONS: RigOptions = {
  tools: { one: { produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'one' }])],
};

test('reading the outcome of a run neither takes it over nor calls a tool', async () => {
  const first = await crashDuringCall('one', OPTIONS);
  const frames = await first.runtime.records.frames('run_1');
  const second = restartProcess(first, { ...OPTIONS, plans: [] });
  expect(await second.runtime.sessions.get('run_1')).toMatchObject({ status: 'in_progress' });
  expect(await second.runtime.records.frames('run_1')).toEqual(frames);
  expect(second.dispatches).toEqual([]);
});
