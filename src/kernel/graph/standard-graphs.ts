import type { GraphSpec } from '../../model/graph.ts';
import { CONDITIONAL_GRAPH } from './conditional-graph.ts';
import { DETERMINISTIC_WORKFLOW } from './deterministic-workflow.ts';
import { DIRECT_RESPONSE } from './direct-response.ts';
import { PLAN_FIRST } from './plan-first.ts';
import { PROMPT_CHAIN } from './prompt-chain.ts';
import { REACTIVE } from './reactive.ts';
import { SUPERVISED } from './supervised.ts';

export const STANDARD_GRAPH_NAMES = [
  'direct_response',
  'prompt_chain',
  'deterministic_workflow',
  'conditional_graph',
  'supervised',
  'plan_first',
  'reactive',
] as const;
export type StandardGraphName = (typeof STANDARD_GRAPH_NAMES)[number];

/** The graphs that come with the product, from the least autonomous to the most. */
export const STANDARD_GRAPHS: Readonly<Record<StandardGraphName, GraphSpec>> = {
  direct_response: DIRECT_RESPONSE,
  prompt_chain: PROMPT_CHAIN,
  deterministic_workflow: DETERMINISTIC_WORKFLOW,
  conditional_graph: CONDITIONAL_GRAPH,
  supervised: SUPERVISED,
  plan_first: PLAN_FIRST,
  reactive: REACTIVE,
};
