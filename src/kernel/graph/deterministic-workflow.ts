import type { GraphSpec } from '../../model/graph.ts';
import { defineGraph } from './define.ts';
import { ACTING, ASKING_PEOPLE, CLOSING, LINE_NODES, LOOP_NODES, OPENING, PEOPLE_NODES } from './fragments.ts';

/** Tier 3: branches that host code has laid out, with questions to the user and approvals on the way. */
export const DETERMINISTIC_WORKFLOW: GraphSpec = defineGraph({
  name: 'deterministic_workflow',
  version: '1',
  tier: 3,
  entry: 'goal_intake',
  nodes: { ...LINE_NODES, ...LOOP_NODES, ...PEOPLE_NODES },
  edges: [
    ...OPENING,
    ['plan', 'plan_validation', 'plan_from_host@1'],
    ['plan_validation', 'action_selection', 'plan_ok@1'],
    ['action_selection', 'tool_eligibility', 'step_selected@1'],
    ...ACTING,
    ...ASKING_PEOPLE,
    ['completion_check', 'plan', 'incomplete_with_budget@1'],
    ['completion_check', 'finalize', 'criteria_met@1'],
    ...CLOSING,
  ],
});
