/** Tests that the worker of a lane runs only in lanes: it would have neither the gate of its lane nor its budget. */
import { beforeEach, expect, test } from 'vitest';
import type { StartRequest } from '../../../src/model/run/run-request.ts';
import { REQUEST } from '../rig.ts';
import { benchAgent, benchLane, dispatched, laneRig } from './bench.ts';
import { payingBoss } from './paying-boss.ts';

beforeEach(() => {
  dispatched.length = 0;
});

const WORKER = 'boss/do_pay';
const REFUSED = {
  code: 'permission_denied',
  message: expect.stringContaining(`${WORKER} works only in lanes of boss`),
};
const SHORT: StartRequest = { message: 'pay 5', user: REQUEST.identity };

test.each([
  ['start by name', ({ runtime }) => runtime.start(WORKER, SHORT).settled],
  ['invoke by name', ({ runtime }) => runtime.invoke(WORKER, SHORT)],
  ['invoke with an envelope', ({ runtime }) => runtime.invoke({ ...REQUEST, agent: WORKER })],
  ['a tenant', ({ runtime }) => runtime.within(REQUEST.identity).invoke(WORKER, SHORT)],
] satisfies readonly (readonly [string, (rig: ReturnType<typeof laneRig>) => unknown])[])(
  'refuses a worker through %s, and names its parent',
  async (_, run) => {
    const rig = laneRig([payingBoss(true)]);
    await expect((async () => await run(rig))()).rejects.toMatchObject(REFUSED);
    expect(await rig.journal.list({})).toEqual([]);
    expect(dispatched).toEqual([]);
  },
);

test('lists no worker among the agents that can be started', async () => {
  const { runtime } = laneRig([payingBoss(true)]);
  await expect(runtime.invoke('nobody', SHORT)).rejects.toMatchObject({
    message: expect.stringMatching(/there are boss|there is boss/),
  });
});

test('the lane itself still opens', async () => {
  const rig = laneRig([payingBoss(true)]);
  expect(await rig.approve(await rig.invoke())).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('refuses an agent with the name of a lane, which would take its place', () => {
  const worker = benchAgent({ name: 'worker', tools: {}, plans: [] });
  const boss = benchAgent({ name: 'boss', tools: {}, lanes: [benchLane('dig', worker)], plans: [] });
  const twin = benchAgent({ name: 'boss/dig', tools: {}, plans: [] });
  expect(() => laneRig([boss, twin])).toThrow(/two agents are called boss\/dig/);
});
