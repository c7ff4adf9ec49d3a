/**
 * The closed table of faults. A test compares it with `docs/reference/faults.md` in both directions.
 * `retryable`: the same call may succeed later. `http`: status of the server. `exit`: exit code of the command line.
 */
// biome-ignore format: a table is read by its columns, one row a line
export const FAULTS = {
  // Input
  input_invalid: { retryable: false, http: 400, exit: 2, meaning: 'A value is not JSON, or does not have the expected shape.' },
  input_missing: { retryable: false, http: 400, exit: 2, meaning: 'One of the four inputs of a run is missing: compiled context, run context, decision registry or tool registry.' },
  json_too_deep: { retryable: false, http: 413, exit: 2, meaning: 'A value is nested deeper than the input limit allows.' },
  json_too_large: { retryable: false, http: 413, exit: 2, meaning: 'A value has more parts, or a longer string, than the input limit allows.' },
  envelope_invalid: { retryable: false, http: 400, exit: 2, meaning: 'A request envelope lacks a tenant, an intent or another required field.' },
  event_invalid: { retryable: false, http: 400, exit: 2, meaning: 'An event does not match the event schema.' },
  event_illegal: { retryable: false, http: 409, exit: 4, meaning: 'The event is well formed, but the current state of the run does not allow it.' },
  time_went_backwards: { retryable: false, http: 409, exit: 4, meaning: 'An event has an earlier time than the event before it.' },
  // Plan
  plan_untyped: { retryable: false, http: 422, exit: 2, meaning: 'The planner returned something that is not a typed plan.' },
  plan_too_large: { retryable: false, http: 413, exit: 2, meaning: 'A plan has more steps than the limit.' },
  duplicate_step_id: { retryable: false, http: 422, exit: 2, meaning: 'Two steps of one plan share an id.' },
  unknown_dependency: { retryable: false, http: 422, exit: 2, meaning: 'A step depends on a step that is not in the plan.' },
  dependency_cycle: { retryable: false, http: 422, exit: 2, meaning: 'The dependencies of the steps form a cycle.' },
  unknown_checkpoint_step: { retryable: false, http: 422, exit: 2, meaning: 'A decision checkpoint is anchored to a step that is not in the plan.' },
  hallucinated_capability: { retryable: false, http: 422, exit: 2, meaning: 'A plan names tools or capabilities that do not exist. The message lists the available ones.' },
  invalid_context_key: { retryable: false, http: 422, exit: 2, meaning: 'A step uses a context key that is not available to it.' },
  tool_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'A plan names a registered tool that this run may not use.' },
  tool_inactive: { retryable: false, http: 422, exit: 2, meaning: 'A plan names a tool that is registered but inactive.' },
  tool_overreach: { retryable: false, http: 422, exit: 2, meaning: 'A plan uses a paid tool although a cheaper, deterministic tool of the run gives the same answer.' },
  argument_invalid: { retryable: false, http: 422, exit: 2, meaning: 'The arguments do not match the input schema of the tool.' },
  untrusted_argument: { retryable: false, http: 403, exit: 3, meaning: 'A value from an untrusted source reaches an argument that the boundary protects.' },
  argument_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'A call to a permitted tool has an argument outside its allow-list.' },
  binding_unresolved: { retryable: false, http: 422, exit: 2, meaning: 'A binding names a step or path that cannot supply a value.' },
  binding_type_mismatch: { retryable: false, http: 422, exit: 2, meaning: 'The type of a binding does not match its argument.' },
  output_invalid: { retryable: false, http: 422, exit: 2, meaning: 'The output of a plan is missing, or does not match the declared output schema.' },
  output_unsupported: { retryable: false, http: 422, exit: 2, meaning: 'A value of the output is bound to no committed fact, or may not leave the run.' },
  approval_mode_undeclared: { retryable: false, http: 422, exit: 2, meaning: 'A tool declares none of the five approval modes.' },
  approval_mode_mismatch: { retryable: false, http: 422, exit: 2, meaning: 'A step declares a weaker approval mode than the tool registry.' },
  approval_missing: { retryable: false, http: 422, exit: 2, meaning: 'A step requires an approval gate but names none.' },
  side_effect_not_local: { retryable: false, http: 403, exit: 3, meaning: 'The workspace budget does not cover a change outside the workspace.' },
  risk_max_exceeded: { retryable: false, http: 403, exit: 3, meaning: 'The risk of the run exceeds the maximum that its boundary permits for calls.' },
  approval_authority_exceeded: { retryable: false, http: 403, exit: 3, meaning: 'A step requires an approval mode that exceeds the authority of the run.' },
  decision_unknown: { retryable: false, http: 422, exit: 2, meaning: 'A decision checkpoint names a decision that is not in the Decision Catalog.' },
  decision_unbound: { retryable: false, http: 422, exit: 2, meaning: 'An action bound to a decision does not come after the checkpoint of that decision.' },
  evidence_missing: { retryable: false, http: 422, exit: 2, meaning: 'A decision requires evidence that no step supplies.' },
  condition_unanswered: { retryable: false, http: 403, exit: 3, meaning: 'Nothing answers a condition of the boundary that a call needs. The message names the field to declare.' },
  condition_not_met: { retryable: false, http: 403, exit: 3, meaning: 'A condition of the boundary denies a call, and no approval overrides it.' },
  policy_conflict: { retryable: false, http: 422, exit: 3, meaning: 'A plan breaks a policy invariant.' },
  policy_invalid: { retryable: false, http: 422, exit: 2, meaning: 'A policy cannot be loaded: its text, its names or its position in the set is invalid.' },
  budget_projection_exceeded: { retryable: false, http: 422, exit: 6, meaning: 'The projected cost of a plan exceeds the remaining budget.' },
  plan_not_verified: { retryable: false, http: 409, exit: 4, meaning: 'A step was requested before its plan was verified.' },
  step_not_verified: { retryable: false, http: 409, exit: 4, meaning: 'The requested step is not in the verified plan.' },
  subtask_criteria_missing: { retryable: false, http: 422, exit: 2, meaning: 'A sub-task has no completion criteria.' },
  depth_exceeded: { retryable: false, http: 422, exit: 2, meaning: 'A sub-task or lane is nested deeper than allowed.' },
  assumption_disproved: { retryable: false, http: 409, exit: 4, meaning: 'A verified observation contradicts an assumption of the plan.' },
  contaminated_support: { retryable: false, http: 422, exit: 2, meaning: 'A step is justified by a stale, discarded, assumed or failed source.' },
  // Planning and re-planning
  planner_timeout: { retryable: true, http: 504, exit: 7, meaning: 'The planner did not answer within the time limit of its task class.' },
  planner_timeout_out_of_range: { retryable: false, http: 400, exit: 2, meaning: 'A planner time limit is outside the range in force: 5 to 30 seconds, or `limits.plannerTimeoutRangeMs`.' },
  model_unreachable: { retryable: true, http: 503, exit: 7, meaning: 'The model provider cannot be reached.' },
  model_overloaded: { retryable: true, http: 503, exit: 7, meaning: 'The model provider is overloaded or limits the request rate.' },
  model_timeout: { retryable: true, http: 504, exit: 7, meaning: 'The model did not answer within the time limit of its profile.' },
  model_rejected: { retryable: false, http: 502, exit: 7, meaning: 'The model provider rejected the request.' },
  model_refused: { retryable: false, http: 502, exit: 7, meaning: 'The model declined to answer.' },
  model_misconfigured: { retryable: false, http: 500, exit: 2, meaning: 'The configuration of a model is invalid.' },
  planner_failed: { retryable: true, http: 502, exit: 7, meaning: 'The planner failed.' },
  replan_budget_exhausted: { retryable: false, http: 409, exit: 6, meaning: 'The run has used all its re-plans.' },
  replan_rationale_required: { retryable: false, http: 400, exit: 2, meaning: 'A re-plan cap above two needs a written rationale.' },
  // Execution
  step_timeout: { retryable: true, http: 504, exit: 7, meaning: 'A tool did not answer within its time limit.' },
  tool_drifted: { retryable: false, http: 409, exit: 4, meaning: 'An external tool has changed since it was registered.' },
  tool_failed: { retryable: true, http: 502, exit: 7, meaning: 'A tool returned an error.' },
  tool_result_invalid: { retryable: false, http: 502, exit: 7, meaning: 'The result of a tool does not match its output schema.' },
  unexpected_evidence: { retryable: false, http: 409, exit: 4, meaning: 'A step succeeded but returned unexpected evidence.' },
  retry_budget_exhausted: { retryable: false, http: 409, exit: 6, meaning: 'The step or the run has no retries left.' },
  workflow_timeout: { retryable: false, http: 504, exit: 7, meaning: 'The run exceeded its wall-clock limit.' },
  rate_limited: { retryable: true, http: 429, exit: 7, meaning: 'The rate limit of a tool is reached, and the next free slot is too far away to wait for.' },
  infrastructure_denied: { retryable: false, http: 403, exit: 3, meaning: 'The infrastructure (egress, sandbox or credential scope) does not permit the call.' },
  kill_switch_on: { retryable: false, http: 403, exit: 3, meaning: 'A kill switch blocks this tenant, agent or tool.' },
  switch_not_found: { retryable: false, http: 404, exit: 5, meaning: 'No kill switch has this id.' },
  dependency_unavailable: { retryable: true, http: 503, exit: 7, meaning: 'A required tool, store or provider is not available.' },
  // Judgement
  verdict_invalid: { retryable: false, http: 500, exit: 70, meaning: 'An evaluator returned a verdict outside the closed set.' },
  evaluator_failed: { retryable: false, http: 500, exit: 70, meaning: 'An evaluator threw an error or returned a value that is not a score.' },
  loop_detected: { retryable: false, http: 409, exit: 6, meaning: 'The loop guard stopped a repetition.' },
  reflection_not_allowed: { retryable: false, http: 409, exit: 4, meaning: 'A reflection was requested without one of its triggers, or beyond its limit.' },
  compression_unsafe: { retryable: false, http: 409, exit: 4, meaning: 'A compression dropped required content, or did not free enough space.' },
  // Budget
  budget_invalid: { retryable: false, http: 400, exit: 2, meaning: 'A budget dimension is missing, negative, not finite or out of range.' },
  budget_exhausted: { retryable: false, http: 409, exit: 6, meaning: 'A budget dimension that the next action needs is used up.' },
  // Grounding
  illegal_grounding_transition: { retryable: false, http: 409, exit: 4, meaning: 'A record tried to skip a rung of the grounding ladder.' },
  grounding_violation: { retryable: false, http: 409, exit: 4, meaning: 'A claim has no observation behind it.' },
  // Graph, ladder, topology
  graph_invalid: { retryable: false, http: 422, exit: 2, meaning: 'A workflow graph does not compile.' },
  graph_not_compiled: { retryable: false, http: 409, exit: 4, meaning: 'A graph was used before it was compiled.' },
  guard_unknown: { retryable: false, http: 422, exit: 2, meaning: 'A graph names a guard that is not registered.' },
  guard_refused: { retryable: false, http: 409, exit: 4, meaning: 'A guard of the host keeps a run from its next action or its answer.' },
  illegal_edge: { retryable: false, http: 409, exit: 4, meaning: 'A transition is not an edge of the compiled graph, or its guard does not hold.' },
  tier_unknown: { retryable: false, http: 400, exit: 2, meaning: 'The autonomy ladder has no such tier.' },
  tier_unjustified: { retryable: false, http: 422, exit: 2, meaning: 'A tier was requested without a reason why each lower tier is insufficient.' },
  tier_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'This tier is not allowed here.' },
  topology_unknown: { retryable: false, http: 400, exit: 2, meaning: 'No topology has this name.' },
  topology_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'This topology is not allowed here without an explicit opt-in.' },
  // Lanes
  lane_envelope_invalid: { retryable: false, http: 502, exit: 7, meaning: 'A lane sent its parent a message that is not a valid lane envelope.' },
  lane_invariant_violation: { retryable: false, http: 403, exit: 3, meaning: 'A lane tried to access the state of its parent run.' },
  lane_fanout_exceeded: { retryable: false, http: 409, exit: 6, meaning: 'The run has reached its maximum number of open lanes.' },
  call_in_doubt: { retryable: false, http: 409, exit: 4, meaning: 'A call of the same tool was already sent, and its result is not known yet.' },
  nothing_done: { retryable: false, http: 409, exit: 7, meaning: 'A tool refused a call before it had any effect.' },
  lane_parent_ended: { retryable: false, http: 409, exit: 4, meaning: 'The parent run of the lane has ended.' },
  lane_parent_paused: { retryable: false, http: 409, exit: 4, meaning: 'The parent run of the lane is paused.' },
  lane_parent_moved: { retryable: true, http: 409, exit: 4, meaning: 'A run above the lane has recorded something since the lane last looked at it.' },
  delegation_cycle: { retryable: false, http: 403, exit: 3, meaning: 'A delegation would lead back to the same agent, directly or through other agents.' },
  workspace_conflict: { retryable: false, http: 409, exit: 4, meaning: 'A write to a shared workspace is based on an outdated version.' },
  coordination_stall: { retryable: false, http: 409, exit: 6, meaning: 'The workers wait for each other.' },
  // Boundary and permission
  boundary_missing: { retryable: false, http: 422, exit: 2, meaning: 'A run manifest has no autonomy boundary.' },
  manifest_invalid: { retryable: false, http: 422, exit: 2, meaning: 'A run manifest cannot be built.' },
  proposal_outside_boundary: { retryable: false, http: 403, exit: 3, meaning: 'A model proposal is not one of the six kinds.' },
  permission_denied: { retryable: false, http: 403, exit: 3, meaning: 'The active identity does not have the permission.' },
  sealed_unknown: { retryable: false, http: 404, exit: 5, meaning: 'The tenant has no sealed value with this handle.' },
  sealed_erased: { retryable: false, http: 410, exit: 4, meaning: 'The sealed value was erased together with the key of its tenant.' },
  credential_expired: { retryable: false, http: 403, exit: 3, meaning: 'A tool call that was authorized before is now rejected, and a new credential did not help or could not be tried.' },
  state_write_refused: { retryable: false, http: 403, exit: 3, meaning: 'A write to a state store breaks the rules of that store.' },
  // Session
  session_not_found: { retryable: false, http: 404, exit: 5, meaning: 'No session has this id.' },
  session_terminal: { retryable: false, http: 409, exit: 4, meaning: 'The session has ended.' },
  session_driven: { retryable: true, http: 409, exit: 4, meaning: 'Another process is driving the session.' },
  serve_unfinished: { retryable: true, http: 503, exit: 7, meaning: 'Serving was stopped, and sessions were still being driven when its time to stop was over.' },
  session_duration_too_short: { retryable: false, http: 400, exit: 2, meaning: 'The maximum duration of a long-running session must be at least one hour.' },
  session_options_invalid: { retryable: false, http: 400, exit: 2, meaning: 'The heartbeat of a session conflicts with its other limits.' },
  illegal_transition: { retryable: false, http: 409, exit: 4, meaning: 'The session cannot change from its current state to the requested state.' },
  pin_immutable: { retryable: false, http: 409, exit: 4, meaning: 'The pins of a session cannot be edited.' },
  pack_version_mismatch: { retryable: false, http: 409, exit: 4, meaning: 'The context pack differs from the one the session is pinned to.' },
  snapshot_version_mismatch: { retryable: false, http: 409, exit: 4, meaning: 'The knowledge snapshot differs from the one the session is pinned to.' },
  version_changed: { retryable: false, http: 409, exit: 4, meaning: 'Something that the session still uses has changed since it started, such as a tool, a policy or a model.' },
  operator_required: { retryable: false, http: 403, exit: 3, meaning: 'This action requires the operator role.' },
  operator_approval_required: { retryable: false, http: 403, exit: 3, meaning: "A session paused by the watchdog needs an operator's approval to resume." },
  thread_busy: { retryable: true, http: 409, exit: 4, meaning: 'A session of the thread has not ended. The message names the session.' },
  thread_denied: { retryable: false, http: 403, exit: 3, meaning: 'The thread belongs to another user or another agent.' },
  thread_limit_reached: { retryable: false, http: 429, exit: 6, meaning: 'The thread has used up one of its limits. The message names the limit.' },
  thread_not_found: { retryable: false, http: 404, exit: 5, meaning: 'The tenant has no thread with this id.' },
  run_context_in_use: { retryable: false, http: 409, exit: 4, meaning: 'Another run already uses this run context.' },
  // Gate
  gate_not_found: { retryable: false, http: 404, exit: 5, meaning: 'No gate has this id.' },
  gate_closed: { retryable: false, http: 409, exit: 4, meaning: 'The gate has been decided or has expired.' },
  info_not_requested: { retryable: false, http: 409, exit: 4, meaning: 'No approver of the gate has requested information.' },
  grant_stale: { retryable: false, http: 409, exit: 4, meaning: 'The arguments, the plan or the evidence have changed since the approval.' },
  approver_missing: { retryable: false, http: 403, exit: 3, meaning: 'An approval must name its approver.' },
  packet_incomplete: { retryable: false, http: 422, exit: 2, meaning: 'An approval packet lacks a part that an approver needs to decide.' },
  credential_unknown: { retryable: false, http: 403, exit: 3, meaning: 'The credential is unknown, or this kind of credential is not accepted here.' },
  signature_invalid: { retryable: false, http: 403, exit: 3, meaning: 'The signature does not match this decision and an enrolled key.' },
  signature_expired: { retryable: false, http: 403, exit: 3, meaning: 'The signature of the decision is too old.' },
  signing_key_revoked: { retryable: false, http: 403, exit: 3, meaning: 'The key that signed the decision is revoked, has expired or is not enrolled yet.' },
  decision_unproven: { retryable: false, http: 403, exit: 3, meaning: 'The record of the run holds a decision that no enrolled key signed, and the run would act by it.' },
  run_unsigned: { retryable: false, http: 403, exit: 3, meaning: 'The record of the run is not signed with the key of the store, and the store requires it.' },
  run_altered: { retryable: false, http: 403, exit: 3, meaning: 'The record of the run was altered, and the run would act by the altered record.' },
  decision_replayed: { retryable: false, http: 409, exit: 4, meaning: 'The signature has already been used.' },
  key_exists: { retryable: false, http: 409, exit: 4, meaning: 'A signing key with this id is already enrolled.' },
  key_not_found: { retryable: false, http: 404, exit: 5, meaning: 'No signing key has this id.' },
  grant_exists: { retryable: false, http: 409, exit: 4, meaning: 'A standing grant with this id already exists.' },
  grant_not_found: { retryable: false, http: 404, exit: 5, meaning: 'No standing grant has this id.' },
  grant_not_allowed: { retryable: false, http: 403, exit: 3, meaning: 'A standing grant is not allowed for this tool or these terms.' },
  // Escalation and termination
  escalation_invalid: { retryable: false, http: 422, exit: 2, meaning: 'An escalation does not name the next authority.' },
  terminal_code_unknown: { retryable: false, http: 422, exit: 2, meaning: 'The terminal code is not one of the seventeen.' },
  // Store
  fenced: { retryable: false, http: 409, exit: 4, meaning: 'Another writer has already written this position of the journal.' },
  store_unknown: { retryable: true, http: 503, exit: 7, meaning: 'The store cannot tell whether a write succeeded. Reload before you continue.' },
  store_replaced: { retryable: false, http: 503, exit: 7, meaning: 'The file of the store was deleted or replaced while it was open.' },
  store_unavailable: { retryable: true, http: 503, exit: 7, meaning: 'The store cannot be reached or is locked.' },
  store_corrupt: { retryable: false, http: 500, exit: 70, meaning: 'Stored bytes do not match their hash, or a stored event does not fit its schema.' },
  session_pruned: { retryable: false, http: 410, exit: 4, meaning: 'The session was pruned: only its ending, its decision record and the head of its chain are kept.' },
  store_version_unsupported: { retryable: false, http: 500, exit: 70, meaning: 'A newer version of Ambit wrote the store.' },
  blob_missing: { retryable: false, http: 404, exit: 5, meaning: 'The store does not contain a referenced content address.' },
  checkpoint_exists: { retryable: false, http: 409, exit: 4, meaning: 'A different checkpoint is already stored under this id.' },
  checkpoint_corrupt: { retryable: false, http: 500, exit: 70, meaning: 'A checkpoint does not match its content address.' },
  checkpoint_write_failed: { retryable: false, http: 503, exit: 7, meaning: 'A checkpoint could not be written, so its verdict is not valid.' },
  // Replay
  replay_input_missing: { retryable: false, http: 409, exit: 4, meaning: 'Replay needs a recorded input that is missing.' },
  bundle_invalid: { retryable: false, http: 422, exit: 2, meaning: 'The file is not a run bundle, or its content was altered. The message names the position.' },
  replay_divergence: { retryable: false, http: 409, exit: 4, meaning: 'Replay derived a result that differs from the recorded one.' },
  // Scripted doubles
  script_unexpected_call: { retryable: false, http: 500, exit: 70, meaning: 'A scripted double was called more often than its script allows.' },
  script_unused: { retryable: false, http: 500, exit: 70, meaning: 'A scripted double was not called as often as its script expects.' },
  // Everything else
  internal: { retryable: false, http: 500, exit: 70, meaning: 'A bug in Ambit.' },
} as const;

export interface FaultRow {
  readonly retryable: boolean;
  readonly http: number;
  readonly exit: number;
  readonly meaning: string;
}

export type FaultCode = keyof typeof FAULTS;
export const FAULT_CODES: readonly FaultCode[] = Object.keys(FAULTS) as FaultCode[];

/**
 * Returns the row of a code, and that of `internal` for anything else. The return type makes the compiler check every
 * row against `FaultRow`.
 */
export function faultRow(code: FaultCode): FaultRow {
  return typeof code === 'string' && Object.hasOwn(FAULTS, code) ? FAULTS[code] : FAULTS.internal;
}
