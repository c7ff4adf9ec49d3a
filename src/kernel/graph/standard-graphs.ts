import type { EdgeOwner, GraphSpec, NodeRole } from '../../model/plan/graph.ts';
import { defineGraph, type NodeDefinition } from './define.ts';
import type { GuardName } from './guard-names.ts';

/** In the standard graphs each node is named after its role, and all guards are shipped ones. */
type Edges<Roles extends NodeRole> = readonly (readonly [
  from: Roles,
  to: Roles,
  guard: GuardName,
  owner?: EdgeOwner,
])[];
type Nodes<Roles extends NodeRole> = Readonly<Record<Roles, NodeDefinition>>;

type LineRole = Exclude<NodeRole, 'completion_check' | 'repair' | 'ask_user' | 'human_approval'>;
type LoopRole = LineRole | 'completion_check';
type PeopleRole = LoopRole | 'ask_user' | 'human_approval';

/** The nodes of every graph, in the order of a run without obstacles. */
const LINE_NODES: Nodes<LineRole> = {
  goal_intake: 'goal_intake',
  classify_intent: 'classify_intent',
  scope_resolution: 'scope_resolution',
  state_init: 'state_init',
  plan: 'plan',
  plan_validation: 'plan_validation',
  action_selection: 'action_selection',
  tool_eligibility: 'tool_eligibility',
  tool_invocation: 'tool_invocation',
  observation_capture: 'observation_capture',
  observation_verification: 'observation_verification',
  state_update: 'state_update',
  finalize: 'finalize',
  terminate: 'terminate',
};

const OPENING: Edges<LoopRole> = [
  ['goal_intake', 'classify_intent', 'request_valid@1'],
  ['classify_intent', 'scope_resolution', 'intent_confident@1'],
  ['scope_resolution', 'state_init', 'token_valid@1'],
  ['state_init', 'plan', 'manifest_stored@1'],
];

/** One action, from the cleared call to the committed state. */
const ACTING: Edges<LoopRole> = [
  ['tool_eligibility', 'tool_invocation', 'call_cleared@1'],
  ['tool_invocation', 'observation_capture', 'call_dispatched@1'],
  ['observation_capture', 'observation_verification', 'observation_stored@1'],
  ['observation_verification', 'state_update', 'observation_verified@1'],
  ['state_update', 'completion_check', 'state_committed@1'],
];

const CLOSING: Edges<LoopRole> = [['finalize', 'terminate', 'response_fixed@1']];

/** The loop over the steps of a plan, bounded by the step budget. */
const LOOP_NODES: Nodes<'completion_check'> = {
  completion_check: { role: 'completion_check', bound: { kind: 'budget_limit', dimension: 'steps' } },
};

/** Questions to the user and approvals, both with a limit. */
const PEOPLE_NODES: Nodes<'ask_user' | 'human_approval'> = {
  ask_user: { role: 'ask_user', bound: { kind: 'retry_limit', max: 3 } },
  human_approval: { role: 'human_approval', bound: { kind: 'retry_limit', max: 3 } },
};

const ASKING_PEOPLE: Edges<PeopleRole> = [
  ['classify_intent', 'ask_user', 'intent_unclear@1'],
  ['tool_eligibility', 'ask_user', 'missing_input@1'],
  ['ask_user', 'scope_resolution', 'answer_changes_scope@1'],
  ['ask_user', 'plan', 'answered@1'],
  ['tool_eligibility', 'human_approval', 'needs_approval@1'],
  ['human_approval', 'action_selection', 'approval_recorded@1'],
  ['human_approval', 'finalize', 'finish_recorded@1'],
];

/** A repair leads back to the plan, and to a person once it is no longer allowed. */
const REPAIR_NODES: Nodes<'repair'> = {
  repair: { role: 'repair', bound: { kind: 'escalation_path', to: 'human_approval' } },
};

const EVERY_NODE: Nodes<NodeRole> = { ...LINE_NODES, ...LOOP_NODES, ...PEOPLE_NODES, ...REPAIR_NODES };

function repairing(owner: EdgeOwner): Edges<NodeRole> {
  return [
    ['plan_validation', 'repair', 'verification_failed@1'],
    ['observation_verification', 'repair', 'verification_failed@1'],
    ['repair', 'plan', 'repair_allowed@1', owner],
  ];
}

/** Tier 4: a model picks the branch by output that fits its schema; prose opens no edge. */
const CONDITIONAL_GRAPH: GraphSpec = defineGraph({
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

/** Tier 3: branches written by host code, with questions to the user and approvals. */
const DETERMINISTIC_WORKFLOW: GraphSpec = defineGraph({
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

/** Tier 1: one call, one answer. There is no cycle to bound. */
const DIRECT_RESPONSE: GraphSpec = defineGraph({
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

/** Tier 6, the default: a model writes the plan, the orchestrator walks it, and repairs return to the model. */
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

/** Tier 2: the steps of a template in fixed order. A model's answer cannot change which step comes next. */
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

/**
 * Tier 6, and tier 7 in a sandbox: the nodes and guards of plan-first, but after every observation the model proposes
 * the next action or the end. The guards still decide.
 */
const REACTIVE: GraphSpec = defineGraph({
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

/**
 * Tier 5: a model plans, and a person approves the plan before its first step. The direct edge from validation to
 * selection is for later steps of an approved plan.
 */
const SUPERVISED: GraphSpec = defineGraph({
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

/** The shipped graphs, least autonomous first. */
export const STANDARD_GRAPHS: Readonly<Record<StandardGraphName, GraphSpec>> = {
  direct_response: DIRECT_RESPONSE,
  prompt_chain: PROMPT_CHAIN,
  deterministic_workflow: DETERMINISTIC_WORKFLOW,
  conditional_graph: CONDITIONAL_GRAPH,
  supervised: SUPERVISED,
  plan_first: PLAN_FIRST,
  reactive: REACTIVE,
};
