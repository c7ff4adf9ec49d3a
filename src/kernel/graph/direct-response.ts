import type { GraphSpec } from '../../model/graph.ts';
import { defineGraph } from './define.ts';
import { ACTING, CLOSING, LINE_NODES, OPENING } from './fragments.ts';

/** Tier 1: one call, one answer. There is no cycle, so there is nothing to bound. */
export const DIRECT_RESPONSE: GraphSpec = defineGraph({
  name: 'direct_response',
  version: '1',
  tier: 1,
  entry: 'goal_intake',
  nodes: { ...LINE_NODES, completion_check: 'completion_check' },
  edges: [
    ...OPENING,
    ['plan', 'plan_validation', 'plan_from_host@1'],
    ['plan_validation', 'action_selection', 'plan_ok@1'],
    ['action_selection', 'tool_eligibility', 'step_selected@1'],
    ...ACTING,
    ['completion_check', 'finalize', 'criteria_met@1'],
    ...CLOSING,
  ],
});
