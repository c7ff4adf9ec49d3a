import type { GraphSpec } from '../../model/graph.ts';
import { defineGraph } from './define.ts';
import { ACTING, ASKING_PEOPLE, CLOSING, EVERY_NODE, OPENING, repairing } from './fragments.ts';

/**
 * Tier 6, and tier 7 in a sandbox: the same nodes and guards as plan-first, but after every observation it is the
 * model that says which action comes next and when to ask for the end. The guards still decide whether it may.
 */
export const REACTIVE: GraphSpec = defineGraph({
  name: 'reactive',
  version: '1',
  tier: 6,
  entry: 'goal_intake',
  nodes: EVERY_NODE,
  edges: [
    ...OPENING,
    ['plan', 'plan_validation', 'plan_proposed@1', 'model'],
    ['plan_validation', 'action_selection', 'plan_ok@1'],
    ['plan_validation', 'completion_check', 'answer_permitted@1'],
    ['action_selection', 'tool_eligibility', 'step_selected@1', 'model'],
    ...ACTING,
    ...ASKING_PEOPLE,
    ...repairing('model'),
    ['completion_check', 'plan', 'incomplete_with_budget@1', 'model'],
    ['completion_check', 'finalize', 'criteria_met@1', 'model'],
    ...CLOSING,
  ],
});
