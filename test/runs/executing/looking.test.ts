/** Looking at a run changes nothing about it. */
import { expect, test } from 'vitest';
import { planOf, type RigOptions } from '../rig.ts';
import { diesAt, nextLife } from './lives.ts';

const OPTIONS: RigOptions = {
  tools: { one: { produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'one' }])],
};

test('asking how a run stands neither takes it over nor calls anything', async () => {
  const first = await diesAt('one', OPTIONS);
  const frames = await first.runtime.frames('run_1');
  const second = nextLife(first, { ...OPTIONS, plans: [] });
  expect(await second.runtime.outcome('run_1')).toMatchObject({ status: 'in_progress' });
  expect(await second.runtime.frames('run_1')).toEqual(frames);
  expect(second.dispatches).toEqual([]);
});
