/** A tool that is not there: another that answers the same question is asked, or the run ends for want of it. */
import { expect, test } from 'vitest';
import { planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const DOWN: RigTool = {
  retries_max: 0,
  produces: ['done'],
  equivalents: ['writes', 'strange', 'cache'],
  execute: () => {
    throw new Error('connection refused');
  },
};

function shop(changes: Readonly<Record<string, RigTool>> = {}): RigOptions {
  return {
    tools: {
      live: DOWN,
      writes: { side_effect: true, approval_mode: 'local_write', produces: ['done'] },
      strange: { input_schema: { type: 'object', required: ['other'] }, produces: ['done'] },
      cache: { produces: ['done'], execute: () => ({ price: 5 }) },
      ...changes,
    },
    plans: Array.from({ length: 40 }, (_, n) => planOf([{ id: 's1', tool: 'live', params: { n } }])),
  };
}

/** What single runs have given up on is another matter. */
const ofTenant = ({ runtime }: Rig) => runtime.breakers().filter(({ runId }) => runId === undefined);

async function untilOpen(bench: Rig): Promise<void> {
  while (ofTenant(bench).every(({ state }) => state !== 'open')) await bench.invoke();
}

test('the first that reads, is allowed and takes the arguments stands in, and the record says that it did', async () => {
  const bench = rig(shop());
  await untilOpen(bench);
  const before = bench.dispatches.length;
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.slice(before).map(({ tool }) => tool)).toEqual(['cache']);
  const events = await bench.events(run.runId);
  const told = events.filter(({ type }) => type.startsWith('step_')).slice(0, 3);
  expect(told).toMatchObject([
    { type: 'step_refused', code: 'dependency_unavailable' },
    { type: 'step_cleared', step_id: 's1' },
    { type: 'step_attempted', step_id: 's1', tool: 'cache' },
  ]);
  expect(events.find(({ type }) => type === 'step_committed')).toMatchObject({ source: 'cache' });
  expect(await bench.runtime.transcripts(run.runId)).toMatchObject([{ call: { tool: 'cache' } }]);
  await bench.runtime.replay(run.runId);
});

test('where nothing stands in, the run ends for want of the tool', async () => {
  const bench = rig(shop({ cache: { active: false, produces: ['done'] } }));
  await untilOpen(bench);
  const before = bench.dispatches.length;
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });
  expect(bench.dispatches).toHaveLength(before);
});
