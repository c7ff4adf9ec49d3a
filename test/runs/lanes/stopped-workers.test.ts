/** Tests that a kill switch on an agent also stops it in the lanes of other agents, which have other names. */
import { beforeEach, expect, test } from 'vitest';
import type { KillScope } from '../../../src/model/gate/kill-switch.ts';
import { CAPS, planOf, START_MS } from '../rig.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, type LaneRig, laneRig } from './bench.ts';

beforeEach(() => {
  dispatched.length = 0;
});

/** A boss that delegates to a foreman, who delegates to a digger. */
function digging(): LaneRig {
  const digger = benchAgent({
    name: 'digger',
    tools: { dig: { produces: ['done'] } },
    plans: [planOf([{ id: 'd', tool: 'dig' }])],
  });
  const below = benchLane('hand_on', digger);
  const foreman = benchAgent({
    name: 'foreman',
    tools: {},
    plans: [planOf([{ id: 'f', tool: 'hand_on' }])],
    lanes: [below],
    caps: { ...CAPS, lanes_max: 2, replan_attempts_max: 0 },
  });
  const above = benchLane('delegate', foreman, {
    budget: { ...LANE_BUDGET, lanesMax: 1, stepsMax: 20, toolCallsMax: 10 },
  });
  const boss = benchAgent({
    name: 'boss',
    tools: {},
    plans: [planOf([{ id: 'b', tool: 'delegate' }])],
    lanes: [above],
    caps: { ...CAPS, lanes_max: 5, replan_attempts_max: 0 },
  });
  return laneRig([boss], { limits: { onEscalate: 'end' } });
}

async function dug(scope: KillScope): Promise<readonly string[]> {
  const rig = digging();
  const thrown = { by: 'ana', reason: 'it digs where it should not', at: START_MS };
  await rig.journal.throwSwitch({ switch_id: 'switch_1', scope, thrown, lifted: null });
  await rig.invoke();
  return dispatched.map(({ tool }) => tool);
}

test.each<KillScope>([{ agent: 'digger' }, { agent: 'foreman' }, { agent: 'digger', tool: 'dig' }])(
  'nothing is dispatched under a switch on %o',
  async (scope) => {
    expect(await dug(scope)).toEqual([]);
  },
);

test.each<KillScope>([
  { agent: 'dig' },
  { agent: 'diggers' },
  { agent: 'digger', tool: 'fill' },
  { agent: 'digger', tenant: 'other' },
])('a switch on %o does not apply', async (scope) => {
  expect(await dug(scope)).toEqual(['dig']);
});
