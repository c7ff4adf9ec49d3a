import type { GraphSpec } from '../../model/graph.ts';
import { defineGraph } from './define.ts';
import { ACTING, ASKING_PEOPLE, CLOSING, EVERY_NODE, OPENING, repairing } from './fragments.ts';

/**
 * Tier 5: a model plans, and no plan is acted on before a person has approved it. The direct edge from validation to
 * selection is for the later steps of a plan that was approved.
 */
export const SUPERVISED: GraphSpec = defineGraph({
  name: 'supervised',
  version: '1',
  tier: 5,
  entry: 'goal_intake',
  nodes: EVERY_NODE,
  edges: [
    ...OPENING,
    ['plan', 'plan_validation', 'plan_proposed@1', 'model'],
    ['plan_validation', 'human_approval', 'plan_pending_approval@1'],
    ['plan_validation', 'action_selection', 'plan_approved@1'],
    ['action_selection', 'tool_eligibility', 'step_selected@1'],
    ...ACTING,
    ...ASKING_PEOPLE,
    ...repairing('model'),
    ['completion_check', 'plan', 'incomplete_with_budget@1'],
    ['completion_check', 'finalize', 'criteria_met@1'],
    ...CLOSING,
  ],
});
