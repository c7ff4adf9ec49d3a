/** Tests equivalents: when a tool is down, another tool answers in its place, or the run ends with UNAVAILABLE_DEP. */
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

/** Breakers of the tenant, without those of single runs. */
const ofTenant = ({ runtime }: Rig) => runtime.agents.breakers().filter(({ runId }) => runId === undefined);

async function untilOpen(bench: Rig): Promise<void> {
  while (ofTenant(bench).every(({ state }) => state !== 'open')) await bench.invoke();
}

test('calls the first equivalent that reads, is allowed and accepts the arguments, and records it', async () => {
  const bench = rig(shop());
  await untilOpen(bench);
  const before = bench.dispatches.length;
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.slice(before).map(({ tool }) => tool)).toEqual(['cache']);
  const events = await bench.events(run.runId);
  const steps = events.filter(({ type }) => type.startsWith('step_')).slice(0, 3);
  expect(steps).toMatchObject([
    { type: 'step_refused', code: 'dependency_unavailable' },
    { type: 'step_cleared', step_id: 's1' },
    { type: 'step_attempted', step_id: 's1', tool: 'cache' },
  ]);
  expect(events.find(({ type }) => type === 'step_committed')).toMatchObject({ source: 'cache' });
  expect(await bench.runtime.records.transcripts(run.runId)).toMatchObject([{ call: { tool: 'cache' } }]);
  await bench.runtime.records.replay(run.runId);
});

test('ends with UNAVAILABLE_DEP if no equivalent is available', async () => {
  const bench = rig(shop({ cache: { active: false, produces: ['done'] } }));
  await untilOpen(bench);
  const before = bench.dispatches.length;
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP' });
  expect(bench.dispatches).toHaveLength(before);
});
