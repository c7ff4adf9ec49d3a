/**
 * Every way this product refuses, in one closed table. `docs/reference/faults.md` is compared with it both ways.
 * `retryable`: the same call may succeed later. `http`: what the server answers. `exit`: what the command line returns.
 */
// biome-ignore format: a table is read by its columns, one row a line
export const FAULTS = {
  // Input
  input_invalid: { retryable: false, http: 400, exit: 2, meaning: 'A value is not the JSON or the shape that was asked for.' },
  input_missing: { retryable: false, http: 400, exit: 2, meaning: 'One of the four inputs of a run (compiled context, run context, decision registry, tool registry) is absent.' },
  json_too_deep: { retryable: false, http: 413, exit: 2, meaning: 'A value is nested deeper than the door allows.' },
  json_too_large: { retryable: false, http: 413, exit: 2, meaning: 'A value has more parts, or a longer string, than the door allows.' },
  envelope_invalid: { retryable: false, http: 400, exit: 2, meaning: 'A request envelope lacks a tenant, an intent or another required field.' },
  event_invalid: { retryable: false, http: 400, exit: 2, meaning: 'An event does not fit the event schema.' },
  event_illegal: { retryable: false, http: 409, exit: 4, meaning: 'An event is well formed but not possible in the state the run is in.' },
  time_went_backwards: { retryable: false, http: 409, exit: 4, meaning: 'An event is older than the one before it.' },
  // Plan
  plan_untyped: { retryable: false, http: 422, exit: 2, meaning: 'The planner returned something that is not a typed plan.' },
  plan_too_large: { retryable: false, http: 413, exit: 2, meaning: 'A plan has more steps than the limit.' },
  duplicate_step_id: { retryable: false, http: 422, exit: 2, meaning: 'Two steps of one plan share an id.' },
  unknown_dependency: { retryable: false, http: 422, exit: 2, meaning: 'A step depends on a step that is not in the plan.' },
  dependency_cycle: { retryable: false, http: 422, exit: 2, meaning: 'Steps depend on each other in a circle.' },
  unknown_checkpoint_step: { retryable: false, http: 422, exit: 2, meaning: 'A decision checkpoint is anchored to a step that is not in the plan.' },
  hallucinated_capability: { retryable: false, http: 422, exit: 2, meaning: 'A plan names tools or capabilities that do not exist; the message lists those that do.' },
  invalid_context_key: { retryable: false, http: 422, exit: 2, meaning: 'A step uses a context key that is not available to it.' },
  tool_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'A plan names a registered tool that this run may not use.' },
  tool_inactive: { retryable: false, http: 422, exit: 2, meaning: 'A plan names a tool that is registered but switched off.' },
  tool_overreach: { retryable: false, http: 422, exit: 2, meaning: 'A tool that costs money is named where a cheaper and deterministic one of the run answers the same.' },
  argument_invalid: { retryable: false, http: 422, exit: 2, meaning: 'Arguments do not fit the input schema of the tool.' },
  untrusted_argument: { retryable: false, http: 403, exit: 3, meaning: 'A value from an untrusted source reaches an argument where the boundary refuses it.' },
  argument_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'A permitted tool is called with an argument outside its allow-list.' },
  binding_unresolved: { retryable: false, http: 422, exit: 2, meaning: 'A binding names a step or path that cannot supply a value.' },
  binding_type_mismatch: { retryable: false, http: 422, exit: 2, meaning: 'What a binding supplies cannot fit the argument it is bound to.' },
  approval_mode_undeclared: { retryable: false, http: 422, exit: 2, meaning: 'A tool does not say, in one of the five approval modes, what a call may do.' },
  approval_mode_mismatch: { retryable: false, http: 422, exit: 2, meaning: 'A step declares a weaker approval mode than the tool registry.' },
  approval_missing: { retryable: false, http: 422, exit: 2, meaning: 'A step needs an approval gate and names none.' },
  side_effect_not_local: { retryable: false, http: 403, exit: 3, meaning: 'A budget for the workspace of a run does not cover a change outside it.' },
  risk_max_exceeded: { retryable: false, http: 403, exit: 3, meaning: 'A run is riskier than its boundary permits for calls.' },
  approval_authority_exceeded: { retryable: false, http: 403, exit: 3, meaning: 'A step needs an approval mode the run has no authority for.' },
  decision_unknown: { retryable: false, http: 422, exit: 2, meaning: 'A decision checkpoint names a decision that is not in the catalogue.' },
  decision_unbound: { retryable: false, http: 422, exit: 2, meaning: 'An action bound to a decision does not come after the checkpoint of that decision.' },
  evidence_missing: { retryable: false, http: 422, exit: 2, meaning: 'A decision needs evidence that nothing supplies.' },
  policy_conflict: { retryable: false, http: 422, exit: 3, meaning: 'A plan breaks a policy invariant.' },
  policy_invalid: { retryable: false, http: 422, exit: 2, meaning: 'A policy cannot be loaded: its text, its names or its place in the set are wrong.' },
  budget_projection_exceeded: { retryable: false, http: 422, exit: 6, meaning: 'A plan is projected to cost more than remains of the budget.' },
  plan_not_verified: { retryable: false, http: 409, exit: 4, meaning: 'A step was asked for before its plan was verified.' },
  step_not_verified: { retryable: false, http: 409, exit: 4, meaning: 'A step was asked for that is not in the verified plan.' },
  subtask_criteria_missing: { retryable: false, http: 422, exit: 2, meaning: 'A sub-task has no completion criteria.' },
  depth_exceeded: { retryable: false, http: 422, exit: 2, meaning: 'A sub-task or lane is nested deeper than allowed.' },
  assumption_disproved: { retryable: false, http: 409, exit: 4, meaning: 'A verified observation contradicts an assumption the plan stands on.' },
  contaminated_support: { retryable: false, http: 422, exit: 2, meaning: 'A step is justified by a stale, discarded, assumed or failed source.' },
  // Planning and re-planning
  planner_timeout: { retryable: true, http: 504, exit: 7, meaning: 'The planner did not answer within the cap of its task class.' },
  planner_timeout_out_of_range: { retryable: false, http: 400, exit: 2, meaning: 'A planner cap is outside 5 to 30 seconds.' },
  model_unreachable: { retryable: true, http: 503, exit: 7, meaning: 'A model provider could not be reached.' },
  model_overloaded: { retryable: true, http: 503, exit: 7, meaning: 'A model provider is busy, or asked too often.' },
  model_timeout: { retryable: true, http: 504, exit: 7, meaning: 'A model did not answer within the time of its profile.' },
  model_rejected: { retryable: false, http: 502, exit: 7, meaning: 'A model provider refused the request itself.' },
  model_refused: { retryable: false, http: 502, exit: 7, meaning: 'A model declined to answer.' },
  model_misconfigured: { retryable: false, http: 500, exit: 2, meaning: 'A model cannot be used as it is configured.' },
  planner_failed: { retryable: true, http: 502, exit: 7, meaning: 'The planner failed.' },
  replan_budget_exhausted: { retryable: false, http: 409, exit: 6, meaning: 'The run may not plan again.' },
  replan_rationale_required: { retryable: false, http: 400, exit: 2, meaning: 'A re-plan cap above two needs a written rationale.' },
  // Execution
  step_timeout: { retryable: true, http: 504, exit: 7, meaning: 'A tool did not answer within its time limit.' },
  tool_drifted: { retryable: false, http: 409, exit: 4, meaning: 'A tool from outside is no longer the one that was registered.' },
  tool_failed: { retryable: true, http: 502, exit: 7, meaning: 'A tool answered with an error.' },
  tool_result_invalid: { retryable: false, http: 502, exit: 7, meaning: 'A tool answered with something that does not fit its output schema.' },
  unexpected_evidence: { retryable: false, http: 409, exit: 4, meaning: 'A step succeeded but returned evidence other than expected.' },
  retry_budget_exhausted: { retryable: false, http: 409, exit: 6, meaning: 'No retry is left, for the step or for the whole run.' },
  workflow_timeout: { retryable: false, http: 504, exit: 7, meaning: 'The run used up its wall clock.' },
  rate_limited: { retryable: true, http: 429, exit: 7, meaning: 'A tool may not be called that often, and its next place is too far away to wait for.' },
  infrastructure_denied: { retryable: false, http: 403, exit: 3, meaning: 'The machinery under the tools (egress, sandbox, credential scope) does not permit the call.' },
  kill_switch_on: { retryable: false, http: 403, exit: 3, meaning: 'Somebody has stopped calls of this tenant, agent or tool.' },
  switch_not_found: { retryable: false, http: 404, exit: 5, meaning: 'There is no such kill switch.' },
  dependency_unavailable: { retryable: true, http: 503, exit: 7, meaning: 'A tool, store or provider that is needed is not available.' },
  // Judgement
  verdict_invalid: { retryable: false, http: 500, exit: 70, meaning: 'An evaluator produced a verdict outside the closed set.' },
  evaluator_failed: { retryable: false, http: 500, exit: 70, meaning: 'An evaluator threw or answered with something that is not a score.' },
  loop_detected: { retryable: false, http: 409, exit: 6, meaning: 'The loop guard stopped a repetition.' },
  reflection_not_allowed: { retryable: false, http: 409, exit: 4, meaning: 'A reflection was asked for without one of its triggers or beyond its bound.' },
  compression_unsafe: { retryable: false, http: 409, exit: 4, meaning: 'A compression lost something that must be kept, or did not make enough room.' },
  // Budget
  budget_invalid: { retryable: false, http: 400, exit: 2, meaning: 'A budget has a missing, negative, non-finite or absurd dimension.' },
  budget_exhausted: { retryable: false, http: 409, exit: 6, meaning: 'Nothing is left in a dimension that the next action needs.' },
  // Grounding
  illegal_grounding_transition: { retryable: false, http: 409, exit: 4, meaning: 'A record tried to skip a rung of the grounding ladder.' },
  grounding_violation: { retryable: false, http: 409, exit: 4, meaning: 'Something was claimed that was not observed.' },
  // Graph, ladder, topology
  graph_invalid: { retryable: false, http: 422, exit: 2, meaning: 'A workflow graph does not compile.' },
  graph_not_compiled: { retryable: false, http: 409, exit: 4, meaning: 'A graph was used before it was compiled.' },
  guard_unknown: { retryable: false, http: 422, exit: 2, meaning: 'A graph names a guard that nobody supplies.' },
  illegal_edge: { retryable: false, http: 409, exit: 4, meaning: 'A transition is not an edge of the compiled graph, or its guard does not hold.' },
  tier_unknown: { retryable: false, http: 400, exit: 2, meaning: 'There is no such tier on the autonomy ladder.' },
  tier_unjustified: { retryable: false, http: 422, exit: 2, meaning: 'A tier was asked for without reasons why every lower one is insufficient.' },
  tier_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'A tier may not be used here.' },
  topology_unknown: { retryable: false, http: 400, exit: 2, meaning: 'There is no such topology.' },
  topology_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'A topology may not be used here without an explicit opt-in.' },
  // Lanes
  lane_envelope_invalid: { retryable: false, http: 502, exit: 7, meaning: 'A lane told its parent something that is no envelope of it.' },
  lane_invariant_violation: { retryable: false, http: 403, exit: 3, meaning: 'A lane reached for the state of the run above it.' },
  lane_fanout_exceeded: { retryable: false, http: 409, exit: 6, meaning: 'A run has as many lanes open as it may.' },
  call_in_doubt: { retryable: false, http: 409, exit: 4, meaning: 'The same call was made before, and nobody knows yet what came of it.' },
  lane_parent_ended: { retryable: false, http: 409, exit: 4, meaning: 'The run that a lane works for has ended.' },
  delegation_cycle: { retryable: false, http: 403, exit: 3, meaning: 'An agent would be asked to work for itself, over others or directly.' },
  workspace_conflict: { retryable: false, http: 409, exit: 4, meaning: 'What is written to a shared workspace was made from a version that is no longer the newest.' },
  coordination_stall: { retryable: false, http: 409, exit: 6, meaning: 'Workers wait for each other.' },
  // Boundary and permission
  boundary_missing: { retryable: false, http: 422, exit: 2, meaning: 'A run manifest has no autonomy boundary.' },
  manifest_invalid: { retryable: false, http: 422, exit: 2, meaning: 'A run manifest cannot be built.' },
  proposal_outside_boundary: { retryable: false, http: 403, exit: 3, meaning: 'A model proposed something outside the six kinds of proposal.' },
  permission_denied: { retryable: false, http: 403, exit: 3, meaning: 'The active identity may not do this.' },
  sealed_unknown: { retryable: false, http: 404, exit: 5, meaning: 'There is no such sealed value of this tenant.' },
  sealed_erased: { retryable: false, http: 410, exit: 4, meaning: 'A sealed value has been erased with the key of its tenant.' },
  credential_expired: { retryable: false, http: 403, exit: 3, meaning: 'A tool that was let in before is turned down, and a new credential did not help or could not be tried.' },
  state_write_refused: { retryable: false, http: 403, exit: 3, meaning: 'A write to a state store breaks the rules of that store.' },
  // Session
  session_not_found: { retryable: false, http: 404, exit: 5, meaning: 'There is no such session.' },
  session_terminal: { retryable: false, http: 409, exit: 4, meaning: 'The session has ended.' },
  session_driven: { retryable: true, http: 409, exit: 4, meaning: 'Another process drives the session at the moment.' },
  session_duration_too_short: { retryable: false, http: 400, exit: 2, meaning: 'A long-running session must be allowed at least one hour.' },
  session_options_invalid: { retryable: false, http: 400, exit: 2, meaning: 'The heartbeat of a session cannot work with its other limits.' },
  illegal_transition: { retryable: false, http: 409, exit: 4, meaning: 'The session cannot go from its state to the one asked for.' },
  pin_immutable: { retryable: false, http: 409, exit: 4, meaning: 'The pins of a session cannot be edited.' },
  pack_version_mismatch: { retryable: false, http: 409, exit: 4, meaning: 'The context pack differs from the one the session is pinned to.' },
  snapshot_version_mismatch: { retryable: false, http: 409, exit: 4, meaning: 'The knowledge snapshot differs from the one the session is pinned to.' },
  operator_required: { retryable: false, http: 403, exit: 3, meaning: 'Only an operator may do this.' },
  operator_approval_required: { retryable: false, http: 403, exit: 3, meaning: "A session paused by the watchdog needs an operator's approval to go on." },
  run_context_in_use: { retryable: false, http: 409, exit: 4, meaning: 'A run is already working on this run context.' },
  // Gate
  gate_not_found: { retryable: false, http: 404, exit: 5, meaning: 'There is no such gate.' },
  gate_closed: { retryable: false, http: 409, exit: 4, meaning: 'The gate has been decided or has expired.' },
  info_not_requested: { retryable: false, http: 409, exit: 4, meaning: 'Nobody who decides the gate has asked for more information.' },
  grant_stale: { retryable: false, http: 409, exit: 4, meaning: 'The approval is for other arguments, another plan or other evidence.' },
  approver_missing: { retryable: false, http: 403, exit: 3, meaning: 'An approval must name the person who gave it.' },
  packet_incomplete: { retryable: false, http: 422, exit: 2, meaning: 'An approval packet lacks a part that a person needs in order to decide.' },
  credential_unknown: { retryable: false, http: 403, exit: 3, meaning: 'Nobody is known under this credential, or it is of a kind that does not count here.' },
  signature_invalid: { retryable: false, http: 403, exit: 3, meaning: 'The signature is not one of an enrolled key over exactly this decision.' },
  signature_expired: { retryable: false, http: 403, exit: 3, meaning: 'The decision was not signed lately.' },
  signing_key_revoked: { retryable: false, http: 403, exit: 3, meaning: 'The key that signed the decision is revoked or has expired.' },
  decision_replayed: { retryable: false, http: 409, exit: 4, meaning: 'This very signature has been used before.' },
  key_exists: { retryable: false, http: 409, exit: 4, meaning: 'A signing key with this id is enrolled already.' },
  key_not_found: { retryable: false, http: 404, exit: 5, meaning: 'There is no such signing key.' },
  grant_exists: { retryable: false, http: 409, exit: 4, meaning: 'A standing grant with this id was given already.' },
  grant_not_found: { retryable: false, http: 404, exit: 5, meaning: 'There is no such standing grant.' },
  grant_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'No standing grant may be given for this.' },
  // Escalation and termination
  escalation_invalid: { retryable: false, http: 422, exit: 2, meaning: 'An escalation names nobody who receives authority next.' },
  terminal_code_unknown: { retryable: false, http: 422, exit: 2, meaning: 'A run can only end with one of the seventeen terminal codes.' },
  // Store
  fenced: { retryable: false, http: 409, exit: 4, meaning: 'Another writer has already written this place in the journal.' },
  store_unknown: { retryable: true, http: 503, exit: 7, meaning: 'The store cannot say whether a write was made; reload before going on.' },
  store_unavailable: { retryable: true, http: 503, exit: 7, meaning: 'The store cannot be reached or is locked.' },
  store_corrupt: { retryable: false, http: 500, exit: 70, meaning: 'Stored bytes do not match their hash.' },
  session_pruned: { retryable: false, http: 410, exit: 4, meaning: 'Of this session only its ending, its record and the head of its chain are kept: its time is over.' },
  store_version_unsupported: { retryable: false, http: 500, exit: 70, meaning: 'The store was written by a newer version.' },
  blob_missing: { retryable: false, http: 404, exit: 5, meaning: 'A referenced content address is not in the store.' },
  checkpoint_exists: { retryable: false, http: 409, exit: 4, meaning: 'A different checkpoint is already stored under this id.' },
  checkpoint_corrupt: { retryable: false, http: 500, exit: 70, meaning: 'A checkpoint does not match its content address.' },
  checkpoint_write_failed: { retryable: false, http: 503, exit: 7, meaning: 'A checkpoint could not be written, so its verdict does not stand.' },
  // Replay
  replay_input_missing: { retryable: false, http: 409, exit: 4, meaning: 'Replay needs a recorded input that is absent.' },
  bundle_invalid: { retryable: false, http: 422, exit: 2, meaning: 'A file is no bundle of a run, or something in it was altered; the message names the place.' },
  replay_divergence: { retryable: false, http: 409, exit: 4, meaning: 'Replay derived something other than what was recorded.' },
  // Scripted doubles
  script_unexpected_call: { retryable: false, http: 500, exit: 70, meaning: 'A scripted double was called more often than its script allows.' },
  script_unused: { retryable: false, http: 500, exit: 70, meaning: 'A scripted double was not called as often as its script expects.' },
  // Everything else
  internal: { retryable: false, http: 500, exit: 70, meaning: 'A bug in this product.' },
} as const;

export interface FaultRow {
  readonly retryable: boolean;
  readonly http: number;
  readonly exit: number;
  readonly meaning: string;
}

export type FaultCode = keyof typeof FAULTS;
export const FAULT_CODES: readonly FaultCode[] = Object.keys(FAULTS) as FaultCode[];

/** The row of a code. Also the place where the compiler holds every row to `FaultRow`. */
export function faultRow(code: FaultCode): FaultRow {
  return FAULTS[code];
}
