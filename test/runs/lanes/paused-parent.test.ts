/** Tests that a gate of a lane stays open while its parent is paused, and can be approved afterwards. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { passTurns } from '../pass-turns.ts';
import { CAPS, operator, planOf, REQUEST } from '../rig.ts';
import { benchAgent, benchLane, dispatched, laneRig } from './bench.ts';

test('refuses an approval in the lane of a paused run, and takes it once the run goes on', async () => {
  dispatched.length = 0;
  const called = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<JsonObject>();
  const asker = benchAgent({
    name: 'asker',
    tools: { peek: { gates: ['GATE_A'], approval_mode: 'delegated', produces: ['done'] } },
    plans: [planOf([{ id: 'p', tool: 'peek', requires: ['GATE_A'] }])],
  });
  const looker = benchAgent({
    name: 'looker',
    tools: {
      look: {
        produces: ['done'],
        execute: () => {
          called.resolve();
          return answer.promise;
        },
      },
    },
    plans: [planOf([{ id: 'l', tool: 'look' }])],
  });
  const both = planOf([
    { id: 's1', tool: 'asks' },
    { id: 's2', tool: 'looks' },
  ]);
  const boss = benchAgent({
    name: 'boss',
    tools: {},
    lanes: [benchLane('asks', asker), benchLane('looks', looker)],
    caps: { ...CAPS, lanes_max: 5, replan_attempts_max: 0 },
    plans: [both],
  });
  const rig = laneRig([boss], { limits: { parallelSteps: 2 } });
  const running = rig.runtime.invoke({ ...REQUEST, agent: 'boss' });
  await called.promise;
  while ((await rig.journal.gates({ statuses: ['open'] })).length === 0) await passTurns(1);
  const [gate] = await rig.journal.gates({ statuses: ['open'] });
  const decision = { packetHash: gate?.packet_hash ?? '', credential: operator('ana'), reason: 'seen' };
  const approve = async (): Promise<unknown> => await rig.settle(rig.runtime.approve(gate?.gate_id ?? '', decision));

  const pausing = rig.runtime.sessions.pause('run_1', { credential: operator('ops'), reason: 'audit' });
  while ((await rig.of('run_1', 'run_paused')).length === 0) await passTurns(1);
  await expect(rig.runtime.approve(gate?.gate_id ?? '', decision)).rejects.toMatchObject({
    code: 'lane_parent_paused',
    message: expect.stringContaining('the parent run run_1 is paused: resume it first'),
  });
  expect(await rig.journal.gates({ statuses: ['open'] })).toHaveLength(1);
  expect(dispatched.map(({ tool }) => tool)).toEqual(['look']);

  answer.resolve({ ok: true });
  await rig.settle(Promise.all([pausing, running]));
  await rig.settle(rig.runtime.sessions.resume('run_1', operator('ops')));
  expect(await approve()).toMatchObject({ runId: 'run_1', terminalCode: 'SUCCESS' });
  expect(dispatched.map(({ tool }) => tool)).toEqual(['look', 'peek']);
});
