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
  runaway_loop: { symptom: 'The same plan or repair comes back again and again.', cause: 'A condition for ending that nothing fulfils, or a failure that planning cannot mend.', indicator: '`loop_detected` by equal plans, calls or transitions; more steps than may be.', containment: 'The loop guard ends the run or hands it over, with its trace.', remedy: 'Graphs whose cycles have bounds and exits, which compiling demands.' },
  tool_spam: { symptom: 'Calls come faster than any work needs.', cause: 'A trigger that sets itself off, or a tool chosen without need.', indicator: '`loop_detected` of the kind `tool_spam`, or a rate that defers calls.', containment: 'No call of the run leaves any more.', remedy: 'Budgets of calls, rates of tools, detection of equal calls.' },
  goal_drift: { symptom: 'Each plan has less to do with the goal than the one before.', cause: 'A goal that is told too widely, or context that is out of date.', indicator: '`goal_drift` with rising distances, or a finding `goal_divergence`.', containment: 'The run pauses; the plan is verified again before it goes on.', remedy: 'Criteria that name the evidence which shows them met.' },
  context_bloat: { symptom: 'A planner is shown so much that it loses what matters.', cause: 'Raw outputs, notes and drafts that nobody takes away.', indicator: '`context_compressed`, or an end by `context_pressure`.', containment: 'One compression that is checked for what must stay; then the run halts.', remedy: 'Notes that end with their step, and only verified state carried on.' },
  memory_poisoning: { symptom: 'Later steps rest on facts that nobody has seen.', cause: 'Something is to be remembered without a source.', indicator: 'A memory without support: a violation, a refusal at the promotion gate, or a quarantine.', containment: 'It is put away; state is what the trace says.', remedy: 'Memory is written after the run, through a gate that demands evidence.' },
  hallucinated_observation: { symptom: 'A result is claimed that no call has brought.', cause: 'Success is inferred instead of observed.', indicator: 'A violation of the kind `claim`, or a summary that cites nothing committed.', containment: 'The claim is not taken; where much is at stake the run halts.', remedy: 'Intended, attempted, observed, verified and committed are states of their own.' },
  premature_termination: { symptom: 'The run is said to be done before it is.', cause: 'A model declares success without evidence.', indicator: 'A violation with the indicator `premature_termination`, or an end that its last judgement contradicts.', containment: 'The run does not end by it.', remedy: 'Runs end when their criteria are met, and only then.' },
  refusal_to_stop: { symptom: 'Work goes on although the goal is met.', cause: 'Somebody plans or reflects without looking at the criteria.', indicator: 'A plan, a proposal or a transition after the judgement that found everything met.', containment: 'What was proposed is refused; the run finalizes and terminates.', remedy: 'A completion check that no model can pass by, and edges that lead only to the end.' },
  over_reflection: { symptom: 'Tokens go into looking back, and nothing changes.', cause: 'Reflection without a reason to reflect.', indicator: 'A violation of the kind `reflection`: the last one took tokens and changed nothing.', containment: 'There is no other; the run goes on or hands over.', remedy: 'Reflection only on its five triggers, each with a bound.' },
  redundant_decomposition: { symptom: 'The same sub-task stands in a plan more than once.', cause: 'Nobody compares what is to be done.', indicator: 'A verified plan with fewer sub-tasks than were proposed.', containment: 'Equal sub-tasks are merged, with whoever waits for them.', remedy: 'Sub-tasks are known by goal and criteria; depth is bounded.' },
  duplicate_actions: { symptom: 'The same change is asked for twice within moments.', cause: 'A retry that nobody recognises as one.', indicator: '`duplicate_action`, or `loop_detected` of the kind `repeated_call`.', containment: 'The second waits for a person.', remedy: 'Keys for calls, and a window in which equal ones are taken for a mistake.' },
  budget_blowout: { symptom: 'Tokens, calls or money run out, or would.', cause: 'Work without a bound, or a provider that takes more than it was given.', indicator: '`BUDGET_EXHAUSTED`, or a plan refused for what it would take.', containment: 'The run freezes until a person gives more, or ends.', remedy: 'What may be spent is set aside before, in every dimension.' },
  stale_state: { symptom: 'A plan rests on what has changed since.', cause: 'A value that is used after it was looked up anew, or after its time.', indicator: '`contaminated_support` of the kind `stale`.', containment: 'The step is blocked until it is looked up again.', remedy: 'Values know their source and until when they may be rested on.' },
  permission_creep: { symptom: 'A model reaches for tools or data that are not its own.', cause: 'Injected text, or a prompt that shows too much.', indicator: 'Denials of plans or calls, and violations with the indicator `permission_creep`.', containment: 'The action is blocked; repeated denials go to security, with a check for injection.', remedy: 'Tools and scopes of the caller alone, and no tool in a model’s hand.' },
  tool_overreach: { symptom: 'A dear tool is used where a plain one would do.', cause: 'Nobody says that they answer the same.', indicator: '`tool_overreach` in the verdict on a plan.', containment: 'The plan is given back, with the tool to use instead.', remedy: 'Equivalents that are declared, and a check that prefers the cheaper.' },
  coordination_failure: { symptom: 'Workers wait for each other and none gets on.', cause: 'Dependencies in a circle, or a result that nobody brings.', indicator: 'Lanes that are ended or bring nothing while others wait for them.', containment: 'The lanes are ended, and the run above goes on without them or hands over.', remedy: 'Lanes without ties among each other, bounded in depth, number and time.' },
  validator_retry_storm: { symptom: 'Answers fail their check again and again.', cause: 'A shape that the model or the tool cannot meet.', indicator: 'An end or a handover because retries or re-plans are spent.', containment: 'Retries are capped, and the run fails closed.', remedy: 'Corrections with what is wrong, and schemas that providers can hold to.' },
  queue_saturation: { symptom: 'Runs pile up before the people who decide.', cause: 'Too much goes to people, or to the same people.', indicator: 'An inbox that is `saturated`, by number or by age.', containment: 'What carries little risk is put off; what expires is closed, never approved.', remedy: 'Thresholds and boundaries that ask people only what people must decide.' },
  memory_write_poisoning: { symptom: 'Something false is remembered from run to run.', cause: 'An entry that does not say what its run promoted.', indicator: 'Entries put into quarantine when a run begins.', containment: 'They are put away and built anew from the trace of their run.', remedy: 'An entry counts only as far as that trace says the same.' },
  credential_expiry: { symptom: 'A call that worked before is turned down.', cause: 'The run outlives its credential.', indicator: 'An observation `expired`, or a call that was turned down at first and made again.', containment: 'The credential is renewed once; otherwise the run waits for a person.', remedy: 'Credentials for a call, asked for when it is made.' },
  parser_drift: { symptom: 'What a tool answers no longer has its shape.', cause: 'The provider has changed and the schema has not.', indicator: 'An observation that fits its schema no more, after which its tool is set aside.', containment: 'The tool is left alone for this run; the raw answer stays.', remedy: 'Versions in schemas, and tools from outside that are compared on every start.' },
  idempotency_failure: { symptom: 'A repeated call may have had its effect twice.', cause: 'No key, and no way to look.', indicator: 'A call in doubt, or a reconciliation that finds it done already.', containment: 'Retries stop, and what happened is found out.', remedy: 'Keys or probes for every tool that changes something.' },
  escalation_bypass: { symptom: 'A change was made without the approval it needed.', cause: 'A tool that says too little of itself, or a record that was changed.', indicator: 'A call on record for which nobody opened its gates.', containment: 'An incident, and the tool is stopped for this agent.', remedy: 'Approval as a guard of the transition, derived again on every replay.' },
} as const);
