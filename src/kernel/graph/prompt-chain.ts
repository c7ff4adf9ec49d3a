import type { GraphSpec } from '../../model/graph.ts';
import { defineGraph } from './define.ts';
import { ACTING, CLOSING, LINE_NODES, LOOP_NODES, OPENING } from './fragments.ts';

/** Tier 2: the steps of a template, one after the other. What a model answers cannot change which comes next. */
export const PROMPT_CHAIN: GraphSpec = defineGraph({
  name: 'prompt_chain',
  version: '1',
  tier: 2,
  entry: 'goal_intake',
  nodes: { ...LINE_NODES, ...LOOP_NODES },
  edges: [
    ...OPENING,
    ['plan', 'plan_validation', 'plan_from_host@1'],
    ['plan_validation', 'action_selection', 'plan_ok@1'],
    ['action_selection', 'tool_eligibility', 'step_selected@1'],
    ...ACTING,
    ['completion_check', 'plan', 'incomplete_with_budget@1'],
    ['completion_check', 'finalize', 'criteria_met@1'],
    ...CLOSING,
  ],
});
