import type { GraphSpec } from '../../model/graph.ts';
import { defineGraph } from './define.ts';
import { ACTING, ASKING_PEOPLE, CLOSING, EVERY_NODE, OPENING, repairing } from './fragments.ts';

/** Tier 6, the default: a model writes the plan, the orchestrator walks it, and repairs go back to the model. */
export const PLAN_FIRST: GraphSpec = defineGraph({
  name: 'plan_first',
  version: '1',
  tier: 6,
  entry: 'goal_intake',
  nodes: EVERY_NODE,
  edges: [
    ...OPENING,
    ['plan', 'plan_validation', 'plan_proposed@1', 'model'],
    ['plan_validation', 'action_selection', 'plan_ok@1'],
    ['plan_validation', 'completion_check', 'answer_permitted@1'],
    ['action_selection', 'tool_eligibility', 'step_selected@1'],
    ...ACTING,
    ...ASKING_PEOPLE,
    ...repairing('model'),
    ['completion_check', 'plan', 'incomplete_with_budget@1'],
    ['completion_check', 'finalize', 'criteria_met@1'],
    ...CLOSING,
  ],
});
