/** A supervisor whose lane `do_pay` pays once a person has approved the payment inside the lane. */
import type { Agent } from '../../../src/agent/agent.ts';
import { CAPS, planOf, type RigTool } from '../rig.ts';
import { benchAgent, benchLane, LANE_BUDGET } from './bench.ts';

const PAYING = planOf([{ id: 'p', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'] }]);

/** The planners of a process that only continues runs are never asked, so they have no plans. */
export function payingBoss(plans: boolean, changes: RigTool = {}): Agent {
  const pay: RigTool = {
    approval_mode: 'destructive',
    side_effect: true,
    gates: ['GATE_A'],
    produces: ['done'],
    ...changes,
  };
  const payer = benchAgent({ name: 'payer', tools: { pay }, plans: plans ? [PAYING] : [] });
  const budget = { ...LANE_BUDGET, sideEffectsMax: 2 };
  return benchAgent({
    name: 'boss',
    tools: {},
    lanes: [benchLane('do_pay', payer, { approvalMode: 'local_write', budget })],
    caps: { ...CAPS, lanes_max: 5, replan_attempts_max: 0 },
    plans: plans ? [planOf([{ id: 's1', tool: 'do_pay' }])] : [],
  });
}

/** An agent above the supervisor, so that the payment is made in a lane of a lane. */
export function chief(plans: boolean): Agent {
  const budget = { ...LANE_BUDGET, stepsMax: 20, toolCallsMax: 10, lanesMax: 1, sideEffectsMax: 4 };
  return benchAgent({
    name: 'chief',
    tools: {},
    lanes: [benchLane('do_boss', payingBoss(plans), { approvalMode: 'local_write', budget })],
    caps: { ...CAPS, lanes_max: 5, replan_attempts_max: 0 },
    plans: plans ? [planOf([{ id: 'c1', tool: 'do_boss' }])] : [],
  });
}
