/** Kinds of failure in a run's behaviour that the result alone does not show. */
export const PATHOLOGY_FAMILIES = [
  'runaway_loop',
  'tool_spam',
  'goal_drift',
  'context_bloat',
  'memory_poisoning',
  'hallucinated_observation',
  'premature_termination',
  'refusal_to_stop',
  'over_reflection',
  'redundant_decomposition',
  'duplicate_actions',
  'budget_blowout',
  'stale_state',
  'permission_creep',
  'tool_overreach',
  'coordination_failure',
  'validator_retry_storm',
  'queue_saturation',
  'memory_write_poisoning',
  'credential_expiry',
  'parser_drift',
  'idempotency_failure',
  'escalation_bypass',
] as const;
export type PathologyFamily = (typeof PATHOLOGY_FAMILIES)[number];

/** Description of a pathology family. */
export interface Pathology {
  readonly symptom: string;
  readonly cause: string;
  /** How the record of a run shows it. */
  readonly indicator: string;
  /** Immediate reaction of the kernel. */
  readonly containment: string;
  /** How to prevent it. */
  readonly remedy: string;
}

// biome-ignore format: a table is read by its columns, one row a line
export const PATHOLOGIES: Readonly<Record<PathologyFamily, Pathology>> = Object.freeze({
  runaway_loop: { symptom: 'The same plan or repair is repeated many times.', cause: 'An end condition that cannot be met, or a failure that no new plan can fix.', indicator: '`loop_detected` for equal plans, calls or transitions, or more steps than allowed.', containment: 'The loop guard ends or escalates the run, with its trace.', remedy: 'Graphs whose cycles have limits and exits. The graph compiler requires both.' },
  tool_spam: { symptom: 'The run makes more calls than its work needs.', cause: 'A step that triggers itself, or a tool that is not needed.', indicator: '`loop_detected` of kind `tool_spam`, or calls deferred by a rate limit.', containment: 'The gateway sends no more calls of this run.', remedy: 'Call budgets, rate limits and detection of equal calls.' },
  goal_drift: { symptom: 'Each plan is further from the goal than the one before.', cause: 'A goal that is too vague, or outdated context.', indicator: '`goal_drift` with rising distances, or the finding `goal_divergence`.', containment: 'The run pauses, and the plan is verified again before it continues.', remedy: 'Acceptance criteria that name the evidence they need.' },
  context_bloat: { symptom: 'The planner sees so much context that it misses the important parts.', cause: 'Raw outputs, notes and drafts that are never removed.', indicator: '`context_compressed`, or an end with `context_pressure`.', containment: 'The context is compressed once, and the result is checked for required items. After that the run stops.', remedy: 'Notes that are dropped after their step, so that only verified state stays.' },
  memory_poisoning: { symptom: 'Later steps use facts that were never observed.', cause: 'A memory is proposed without a source.', indicator: 'A memory without evidence: a violation, a refusal at the promotion gate, or a quarantine.', containment: 'The memory is quarantined. The trace remains the source of state.', remedy: 'Memories are written after the run, through a gate that requires evidence.' },
  hallucinated_observation: { symptom: 'The model claims a result that no call returned.', cause: 'The model infers success instead of observing it.', indicator: 'A violation of kind `claim`, or a summary that cites no committed evidence.', containment: 'The claim is rejected. At high risk the run stops.', remedy: 'Separate states for intended, attempted, observed, verified and committed.' },
  premature_termination: { symptom: 'The model reports the run as done too early.', cause: 'A model declares success without evidence.', indicator: 'A violation with the indicator `premature_termination`, or an end that the last judgement contradicts.', containment: 'The run continues.', remedy: 'Runs that end only when their criteria are met.' },
  refusal_to_stop: { symptom: 'The run continues although the goal is met.', cause: 'The model plans or reflects without checking the criteria.', indicator: 'A plan, a proposal or a transition after the judgement that all criteria are met.', containment: 'The proposal is rejected, and the run finalizes and ends.', remedy: 'A completion check that no model can skip, and edges that lead only to the end.' },
  over_reflection: { symptom: 'Reflections use tokens without changing the plan.', cause: 'Reflection without a trigger.', indicator: 'A violation of kind `reflection`: the last reflection used tokens and changed nothing.', containment: 'No further reflection is made. The run continues or escalates.', remedy: 'Reflection only on its five triggers, each with a limit.' },
  redundant_decomposition: { symptom: 'A plan contains the same sub-task more than once.', cause: 'The planner does not compare its sub-tasks.', indicator: 'A verified plan with fewer sub-tasks than the proposal, or `loop_detected` of kind `duplicate_subtask`.', containment: 'Equal sub-tasks are merged, including their dependents.', remedy: 'Sub-tasks identified by goal and criteria, with limited depth.' },
  duplicate_actions: { symptom: 'The same change is requested twice within a short time.', cause: 'A retry that is not recognised as one.', indicator: '`duplicate_action`, or `loop_detected` of kind `repeated_call`.', containment: 'The second call waits for a person.', remedy: 'Idempotency keys, and a time window in which equal calls count as duplicates.' },
  budget_blowout: { symptom: 'Tokens, calls or money run out, or are about to.', cause: 'Unlimited work, or a provider that uses more than its share.', indicator: '`BUDGET_EXHAUSTED`, or a plan refused because of its estimate.', containment: 'The run waits until a person extends the budget, or ends.', remedy: 'Budgets reserved in advance, in every dimension.' },
  stale_state: { symptom: 'A plan uses values that have changed since.', cause: 'A value that is used after a newer lookup or after it expired.', indicator: '`contaminated_support` of kind `stale`.', containment: 'The step is blocked until the value is looked up again.', remedy: 'Values that carry their source and expiry time.' },
  permission_creep: { symptom: 'A model requests tools or data that it may not use.', cause: 'Injected text, or a prompt that shows too much.', indicator: 'Denied plans or calls, and violations with the indicator `permission_creep`.', containment: 'The action is blocked. Repeated denials are escalated to security, with a check for injection.', remedy: 'Only the tools and scopes of the caller, and no direct tool access for models.' },
  tool_overreach: { symptom: 'An expensive tool is used although a cheaper one is sufficient.', cause: 'The tools are not declared as equivalent.', indicator: '`tool_overreach` in the verdict on a plan.', containment: 'The plan is returned with the name of the cheaper tool.', remedy: 'Declared equivalents, and a check that prefers the cheaper tool.' },
  coordination_failure: { symptom: 'Lanes wait for each other and make no progress.', cause: 'Circular dependencies, or a result that no lane delivers.', indicator: 'Lanes that end or deliver nothing while others wait for them.', containment: 'The lanes are ended, and the parent run continues without them or escalates.', remedy: 'Independent lanes with limits on depth, number and time.' },
  validator_retry_storm: { symptom: 'Answers fail validation many times.', cause: 'A schema that the model or the tool cannot satisfy.', indicator: 'Invalid answers until retries or re-plans are used up.', containment: 'Retries are limited, and the run fails closed.', remedy: 'Corrections that name the error, and schemas that providers can satisfy.' },
  queue_saturation: { symptom: 'Many runs wait for the same deciders.', cause: 'Too many decisions go to people, or to the same people.', indicator: 'An inbox that is `saturated`, by number or age of its gates.', containment: 'Low-risk gates are deferred. Expired gates are closed, never approved.', remedy: 'Thresholds and boundaries that leave only the necessary decisions to people.' },
  memory_write_poisoning: { symptom: 'A false memory is passed from run to run.', cause: 'An entry that differs from the memory its run promoted.', indicator: 'Entries quarantined at the start of a run.', containment: 'The entries are quarantined and rebuilt from the traces of their runs.', remedy: 'Entries that count only if their trace confirms them.' },
  credential_expiry: { symptom: 'A call that worked before is rejected.', cause: 'The run outlives its credential.', indicator: 'The observation `expired`, or a call that was rejected first and then repeated.', containment: 'The credential is renewed once; otherwise the run waits for a person.', remedy: 'Credentials requested per call.' },
  parser_drift: { symptom: 'The answers of a tool no longer match its schema.', cause: 'The provider changed its answers and the schema was not updated.', indicator: 'An observation that does not match its schema, after which the tool is disabled.', containment: 'The tool is disabled for this run. The raw answer is kept.', remedy: 'Versioned schemas, and a comparison of imported tools at every start.' },
  idempotency_failure: { symptom: 'A repeated call may have taken effect twice.', cause: 'The tool has neither an idempotency key nor a probe.', indicator: 'A call in doubt, or a reconciliation that finds the effect already in place.', containment: 'Retries stop until the effect of the call is known.', remedy: 'Idempotency keys or probes for every tool with side effects.' },
  escalation_bypass: { symptom: 'A change was made without the approval it needed.', cause: 'A tool with an incomplete declaration, or a changed record.', indicator: 'A recorded call without its required gates.', containment: 'An incident is recorded, and the tool is blocked for this agent.', remedy: 'Approval as a guard of the transition, which every replay checks again.' },
} as const);

/** Contradicting sources. They are no pathology: the fault is in the sources, not in the run. */
export const SOURCE_CONFLICT: Pathology = Object.freeze({
  symptom: 'Two sources contradict each other about a fact that the goal depends on.',
  cause: 'One of the sources is wrong or outdated, and no further source settles it.',
  indicator: 'The run was handed over, or ended, with `SOURCE_CONFLICT`.',
  containment: 'No claim uses the disputed evidence. After one cross-check a person decides.',
  remedy: 'A third source, or one that is declared as trusted.',
});
