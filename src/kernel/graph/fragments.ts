import type { EdgeOwner, NodeRole } from '../../model/graph.ts';
import type { NodeDefinition } from './define.ts';
import type { GuardName } from './guard-names.ts';

/** In the shipped graphs a node is called by its role, and every guard is a shipped one. */
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

/** What every graph has, in the order in which a run that meets no obstacle walks it. */
export const LINE_NODES: Nodes<LineRole> = {
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

export const OPENING: Edges<LoopRole> = [
  ['goal_intake', 'classify_intent', 'request_valid@1'],
  ['classify_intent', 'scope_resolution', 'intent_confident@1'],
  ['scope_resolution', 'state_init', 'token_valid@1'],
  ['state_init', 'plan', 'manifest_stored@1'],
];

/** One action, from the cleared call to the committed state. */
export const ACTING: Edges<LoopRole> = [
  ['tool_eligibility', 'tool_invocation', 'call_cleared@1'],
  ['tool_invocation', 'observation_capture', 'call_dispatched@1'],
  ['observation_capture', 'observation_verification', 'observation_stored@1'],
  ['observation_verification', 'state_update', 'observation_verified@1'],
  ['state_update', 'completion_check', 'state_committed@1'],
];

export const CLOSING: Edges<LoopRole> = [['finalize', 'terminate', 'response_fixed@1']];

/** The loop over the steps of a plan: each turn spends a step, and the steps are counted. */
export const LOOP_NODES: Nodes<'completion_check'> = {
  completion_check: { role: 'completion_check', bound: { kind: 'budget_limit', dimension: 'steps' } },
};

/** People: the user who knows what is missing, and whoever may approve what is dangerous. Neither is asked for ever. */
export const PEOPLE_NODES: Nodes<'ask_user' | 'human_approval'> = {
  ask_user: { role: 'ask_user', bound: { kind: 'retry_limit', max: 3 } },
  human_approval: { role: 'human_approval', bound: { kind: 'retry_limit', max: 3 } },
};

export const ASKING_PEOPLE: Edges<PeopleRole> = [
  ['classify_intent', 'ask_user', 'intent_unclear@1'],
  ['tool_eligibility', 'ask_user', 'missing_input@1'],
  ['ask_user', 'scope_resolution', 'answer_changes_scope@1'],
  ['ask_user', 'plan', 'answered@1'],
  ['tool_eligibility', 'human_approval', 'needs_approval@1'],
  ['human_approval', 'action_selection', 'approval_recorded@1'],
  ['human_approval', 'finalize', 'finish_recorded@1'],
];

/** A repair goes back to the plan, and to a person once it may not any more. */
const REPAIR_NODES: Nodes<'repair'> = {
  repair: { role: 'repair', bound: { kind: 'escalation_path', to: 'human_approval' } },
};

/** A graph with a loop, people and repairs has all of them. */
export const EVERY_NODE: Nodes<NodeRole> = { ...LINE_NODES, ...LOOP_NODES, ...PEOPLE_NODES, ...REPAIR_NODES };

export function repairing(owner: EdgeOwner): Edges<NodeRole> {
  return [
    ['plan_validation', 'repair', 'verification_failed@1'],
    ['observation_verification', 'repair', 'verification_failed@1'],
    ['repair', 'plan', 'repair_allowed@1', owner],
  ];
}
