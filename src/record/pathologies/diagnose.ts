import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { eventsOf } from '../trace/trace-of.ts';
import { PATHOLOGIES, PATHOLOGY_FAMILIES, type Pathology, type PathologyFamily, SOURCE_CONFLICT } from './families.ts';

type Problem = EventOf<'plan_verified'>['problems'][number];

/** A value that the plan uses was looked up again since, or has expired. */
const isStaleProblem = ({ code, detail }: Problem): boolean =>
  code === 'contaminated_support' && detail?.['kind'] === 'stale';

const DENIED: ReadonlySet<string> = new Set([
  'tool_not_allowed',
  'approval_authority_exceeded',
  'argument_not_allowed',
  'permission_denied',
]);

/** The plan uses something that the run has no permission for. */
const isDenied = ({ code }: Problem): boolean => DENIED.has(code);

/** Input of a diagnosis: the record of a run and facts from outside it. */
export interface DiagnosisInput {
  readonly events: readonly RunEvent[];
  /** Calls that an audit found without the approval they needed. */
  readonly unapproved: readonly { readonly step_id: string }[];
  /** Whether the queue of approvers was saturated at the time of the diagnosis. */
  readonly saturated: boolean;
}

/** Looks for a pathology and describes it in a few words; null if it is not there. */
type Sign = (looked: DiagnosisInput) => string | null;

/** All reasons for which the run was escalated or ended. */
const stopsOf = (looked: DiagnosisInput): readonly { reason: string; code: string; detail: JsonObject }[] => [
  ...eventsOf(looked.events, 'run_escalated').map(({ stop }) => ({
    reason: stop.reason,
    code: stop.code,
    detail: stop.detail ?? {},
  })),
  ...eventsOf(looked.events, 'run_terminated').map(({ reason, code, detail }) => ({ reason, code, detail })),
];

const stopped =
  (...reasons: readonly string[]): Sign =>
  (looked) =>
    stopsOf(looked).find(({ reason }) => reasons.includes(reason))?.reason ?? null;

/** The loop guard stopped the run because something of one of these kinds repeated. */
const looped =
  (...kinds: readonly string[]): Sign =>
  (looked) => {
    const stop = stopsOf(looked).find(({ detail }) => kinds.includes(String(detail['kind'])));
    return stop === undefined ? null : `${stop.reason}: ${String(stop.detail['kind'])}`;
  };

const problem =
  (matches: (problem: Problem) => boolean): Sign =>
  (looked) =>
    eventsOf(looked.events, 'plan_verified')
      .flatMap(({ problems }) => problems)
      .find(matches)?.code ?? null;

const stale: Sign = problem(isStaleProblem);

const violated =
  (matches: (violation: EventOf<'violation_noted'>) => boolean): Sign =>
  (looked) =>
    eventsOf(looked.events, 'violation_noted').find(matches)?.why ?? null;

const signFound =
  (kind: string): Sign =>
  (looked) =>
    [...eventsOf(looked.events, 'step_judged'), ...eventsOf(looked.events, 'run_judged')]
      .flatMap(({ findings }) => findings)
      .find((finding) => finding.kind === kind && finding.severity === 'high')?.detail ?? null;

/** The result of the first sign that is present. */
const either =
  (...signs: readonly Sign[]): Sign =>
  (looked) => {
    for (const sign of signs) {
      const description = sign(looked);
      if (description !== null) return description;
    }
    return null;
  };

/** The number of sub-tasks in a proposal, which may be any JSON value. */
function subtasksIn(proposal: Json): number {
  if (!isJsonObject(proposal)) return 0;
  const { subtasks } = proposal;
  return subtasks !== undefined && isJsonList(subtasks) ? subtasks.length : 0;
}

/** A pathology of a run or a conflict of its sources, and the sign that shows it. */
export interface Diagnosis extends Pathology {
  readonly family: PathologyFamily | 'source_conflict';
  readonly shownBy: string;
}

/** The pathologies of a run, derived from its record. Empty for a healthy run. */
export function diagnose(looked: DiagnosisInput): readonly Diagnosis[] {
  const found = PATHOLOGY_FAMILIES.flatMap((family) => {
    const shownBy = DETECTORS[family](looked);
    return shownBy === null ? [] : [{ family, shownBy, ...PATHOLOGIES[family] }];
  });
  const conflict = conflictOf(looked);
  return conflict === null ? found : [...found, { family: 'source_conflict', shownBy: conflict, ...SOURCE_CONFLICT }];
}

/** The conflict of sources because of which the run was handed over or ended. */
function conflictOf(looked: DiagnosisInput): string | null {
  const stop = stopsOf(looked).find(({ code }) => code === 'SOURCE_CONFLICT');
  return stop === undefined ? null : String(stop.detail['message'] ?? stop.reason);
}

/** The detector of each pathology family. It reads the events that the kernel records when it acts on it. */
const DETECTORS: Readonly<Record<PathologyFamily, Sign>> = Object.freeze({
  runaway_loop: either(looped('no_progress', 'repeated_transition'), stopped('max_iterations_exceeded')),
  tool_spam: either(looped('tool_spam'), refusedFor('rate_limited')),
  goal_drift: either(stopped('goal_drift'), signFound('goal_divergence')),
  context_bloat: either(compressed, stopped('context_pressure', 'compression_unsafe')),
  memory_poisoning: either(unsupportedMemory, promotionRefused),
  hallucinated_observation: violated(
    ({ violation, subject }) => violation === 'claim' || subject === 'observation_summary',
  ),
  premature_termination: either(
    violated(({ indicator }) => indicator === 'premature_termination'),
    endContradicted,
  ),
  refusal_to_stop: goesOnAfterSuccess,
  over_reflection: violated(({ violation }) => violation === 'reflection'),
  redundant_decomposition: either(mergedSubtasks, looped('duplicate_subtask')),
  duplicate_actions: either(stopped('duplicate_action'), looped('repeated_call')),
  budget_blowout: either(
    outOfBudget,
    problem(({ code }) => code === 'budget_projection_exceeded'),
  ),
  stale_state: stale,
  permission_creep: either(
    problem(isDenied),
    violated(({ indicator }) => indicator === 'permission_creep'),
    refusedFor('permission_denied', 'tool_not_allowed', 'argument_not_allowed'),
  ),
  tool_overreach: problem(({ code }) => code === 'tool_overreach'),
  coordination_failure: stalledWorkers,
  validator_retry_storm: validationsFailed,
  queue_saturation: ({ saturated }) => (saturated ? 'the queue of those who decide is too full' : null),
  memory_write_poisoning: quarantined,
  credential_expiry: turnedDown,
  parser_drift: otherShape,
  idempotency_failure: either(stopped('call_in_doubt'), reconciled),
  escalation_bypass: ({ unapproved: [first] }) =>
    first === undefined ? null : `step ${first.step_id} lacked an approval`,
});

function refusedFor(...codes: readonly string[]): Sign {
  return (looked) => eventsOf(looked.events, 'step_refused').find(({ code }) => codes.includes(code))?.message ?? null;
}

function compressed(looked: DiagnosisInput): string | null {
  const [first] = eventsOf(looked.events, 'context_compressed');
  return first === undefined ? null : `compressed to ${first.tokens} tokens`;
}

function unsupportedMemory(looked: DiagnosisInput): string | null {
  const put = eventsOf(looked.events, 'run_initialized').flatMap(({ quarantined: away = {} }) => Object.values(away));
  const noted = eventsOf(looked.events, 'violation_noted').find(({ why }) => why.startsWith('quarantined'));
  return put.find((why) => why.startsWith('unsupported')) ?? noted?.why ?? null;
}

const UNSUPPORTED: ReadonlySet<string> = new Set(['evidence_missing', 'unverified_source', 'ungrounded', 'assumption']);

function promotionRefused(looked: DiagnosisInput): string | null {
  const rulings = eventsOf(looked.events, 'memory_ruled').flatMap((event) => event.rulings);
  return rulings.flatMap(({ reasons }) => reasons).find((reason) => UNSUPPORTED.has(reason)) ?? null;
}

function endContradicted(looked: DiagnosisInput): string | null {
  const ended = eventsOf(looked.events, 'run_terminated').at(-1);
  const judged = eventsOf(looked.events, 'run_judged').at(-1);
  const open = judged?.unmet ?? [];
  return ended?.code === 'SUCCESS' && open.length > 0 ? `ended SUCCESS with ${open.join(', ')} not met` : null;
}

/** Finds a plan, a proposal or a requested transition after the judgement that found every criterion met. */
function goesOnAfterSuccess({ events }: DiagnosisInput): string | null {
  const met = events.findIndex((event) => event.type === 'run_judged' && event.unmet.length === 0);
  const answered = met === -1 ? -1 : events.findIndex(({ type }, at) => at > met && type === 'response_compiled');
  if (answered === -1) return null;
  const after = events.slice(answered + 1);
  const wants = after.find(
    ({ type }) => type === 'plan_proposed' || type === 'transition_requested' || type === 'proposal_made',
  );
  return wants === undefined ? null : `${wants.type} after everything was met`;
}

function mergedSubtasks({ events }: DiagnosisInput): string | null {
  let proposed = 0;
  for (const event of events) {
    if (event.type === 'plan_proposed') proposed = subtasksIn(event.proposal);
    if (event.type !== 'plan_verified' || event.plan === undefined) continue;
    const left = event.plan.subtasks?.length ?? 0;
    if (left < proposed) return `${proposed} sub-tasks were ${left}`;
  }
  return null;
}

function outOfBudget(looked: DiagnosisInput): string | null {
  const stop = stopsOf(looked).find(
    ({ code, detail }) => code === 'BUDGET_EXHAUSTED' && detail['dimension'] !== 'context_tokens',
  );
  return stop === undefined ? null : `${stop.reason}: ${String(stop.detail['dimension'] ?? 'a limit')}`;
}

/** A call that waits in a cycle of workers returns this detail. */
function stalledWorkers(looked: DiagnosisInput): string | null {
  const stalled = eventsOf(looked.events, 'step_observed').find(({ detail = '' }) => detail.includes(STALL));
  return stalled?.detail ?? stopped('coordination_stall')(looked);
}

const STALL = 'each waits for the next';

function quarantined(looked: DiagnosisInput): string | null {
  const put = eventsOf(looked.events, 'run_initialized').flatMap(({ quarantined: away = {} }) => Object.values(away));
  return put.find((why) => !why.startsWith('unsupported')) ?? null;
}

function turnedDown(looked: DiagnosisInput): string | null {
  const seen = eventsOf(looked.events, 'step_observed').find(
    ({ outcome, detail = '' }) => outcome === 'expired' || detail.includes('turned down at first'),
  );
  return seen === undefined ? null : (seen.detail ?? seen.outcome);
}

/** Two answers that fail validation are the first repetition. */
const INVALID_ANSWERS_MIN = 2;

/**
 * Finds a run that used up its retries or re-plans and has several plans or results that failed validation. A call that
 * failed, such as in an outage, has no answer to validate.
 */
function validationsFailed(looked: DiagnosisInput): string | null {
  const stop = stopped('replan_budget_exhausted', 'retry_budget_exhausted')(looked);
  if (stop === null) return null;
  const plans = eventsOf(looked.events, 'plan_verified').filter(
    ({ problems }) => problems.length > 0 && !problems.some(isDenied),
  );
  const invalid = plans.length + rejectedResults(looked, 'ok', 'malformed', 'empty').length;
  return invalid < INVALID_ANSWERS_MIN ? null : `${stop}: ${invalid} answers failed validation`;
}

/** The verifications that rejected the result of a call with one of these outcomes. */
function rejectedResults(
  { events }: DiagnosisInput,
  ...outcomes: readonly string[]
): readonly EventOf<'step_verified'>[] {
  const calls = new Set(
    eventsOf(events, 'step_observed').flatMap(({ outcome, call_id }) => (outcomes.includes(outcome) ? [call_id] : [])),
  );
  return eventsOf(events, 'step_verified').filter(({ ok, call_id }) => !ok && calls.has(call_id));
}

/** Finds a successful answer that does not fit the schema its tool was registered with. */
function otherShape(looked: DiagnosisInput): string | null {
  const [misfit] = rejectedResults(looked, 'ok');
  return misfit?.problems[0]?.message ?? null;
}

function reconciled(looked: DiagnosisInput): string | null {
  const done = eventsOf(looked.events, 'call_reconciled').find(({ finding }) => finding === 'happened');
  return done === undefined ? null : `${done.call_id} had happened already`;
}
