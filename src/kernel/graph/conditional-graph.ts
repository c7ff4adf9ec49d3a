import type { GraphSpec } from '../../model/graph.ts';
import { defineGraph } from './define.ts';
import { ACTING, ASKING_PEOPLE, CLOSING, EVERY_NODE, OPENING, repairing } from './fragments.ts';

/** Tier 4: a model picks the branch, but only by an answer that fits its schema; prose opens no edge. */
export const CONDITIONAL_GRAPH: GraphSpec = defineGraph({
  name: 'conditional_graph',
  version: '1',
  tier: 4,
  entry: 'goal_intake',
  nodes: EVERY_NODE,
  edges: [
    ...OPENING,
    ['plan', 'plan_validation', 'structured_output@1', 'model'],
    ['plan_validation', 'action_selection', 'plan_ok@1'],
    ['action_selection', 'tool_eligibility', 'step_selected@1'],
    ...ACTING,
    ...ASKING_PEOPLE,
    ...repairing('orchestrator'),
    ['completion_check', 'plan', 'incomplete_with_budget@1'],
    ['completion_check', 'finalize', 'criteria_met@1'],
    ...CLOSING,
  ],
});
