import { PATHOLOGIES, PATHOLOGY_FAMILIES, type Pathology, type PathologyFamily } from './families.ts';
import {
  type DiagnosisInput,
  either,
  isDenied,
  looped,
  of,
  problem,
  type Sign,
  signFound,
  stale,
  stopped,
  stopsOf,
  subtasksIn,
  violated,
} from './signs.ts';

/** A pathology of a run, and the sign that shows it. */
export interface Diagnosis extends Pathology {
  readonly family: PathologyFamily;
  readonly shownBy: string;
}

/** The pathologies of a run, derived from its record. Empty for a healthy run. */
export function diagnose(looked: DiagnosisInput): readonly Diagnosis[] {
  return PATHOLOGY_FAMILIES.flatMap((family) => {
    const shownBy = DETECTORS[family](looked);
    return shownBy === null ? [] : [{ family, shownBy, ...PATHOLOGIES[family] }];
  });
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
  redundant_decomposition: mergedSubtasks,
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
  validator_retry_storm: stopped('replan_budget_exhausted', 'retry_budget_exhausted'),
  queue_saturation: ({ saturated }) => (saturated ? 'the queue of those who decide is too full' : null),
  memory_write_poisoning: quarantined,
  credential_expiry: turnedDown,
  parser_drift: otherShape,
  idempotency_failure: either(stopped('call_in_doubt'), reconciled),
  escalation_bypass: ({ unapproved: [first] }) =>
    first === undefined ? null : `step ${first.step_id} lacked an approval`,
});

function refusedFor(...codes: readonly string[]): Sign {
  return (looked) => of(looked, 'step_refused').find(({ code }) => codes.includes(code))?.message ?? null;
}

function compressed(looked: DiagnosisInput): string | null {
  const [first] = of(looked, 'context_compressed');
  return first === undefined ? null : `compressed to ${first.tokens} tokens`;
}

function unsupportedMemory(looked: DiagnosisInput): string | null {
  const put = of(looked, 'run_initialized').flatMap(({ quarantined: away = {} }) => Object.values(away));
  const noted = of(looked, 'violation_noted').find(({ why }) => why.startsWith('quarantined'));
  return put.find((why) => why.startsWith('unsupported')) ?? noted?.why ?? null;
}

const UNSUPPORTED: ReadonlySet<string> = new Set(['evidence_missing', 'unverified_source', 'ungrounded', 'assumption']);

function promotionRefused(looked: DiagnosisInput): string | null {
  const rulings = of(looked, 'memory_ruled').flatMap((event) => event.rulings);
  return rulings.flatMap(({ reasons }) => reasons).find((reason) => UNSUPPORTED.has(reason)) ?? null;
}

function endContradicted(looked: DiagnosisInput): string | null {
  const ended = of(looked, 'run_terminated').at(-1);
  const judged = of(looked, 'run_judged').at(-1);
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
  const stalled = of(looked, 'step_observed').find(({ detail = '' }) => detail.includes(STALL));
  return stalled?.detail ?? stopped('coordination_stall')(looked);
}

const STALL = 'each waits for the next';

function quarantined(looked: DiagnosisInput): string | null {
  const put = of(looked, 'run_initialized').flatMap(({ quarantined: away = {} }) => Object.values(away));
  return put.find((why) => !why.startsWith('unsupported')) ?? null;
}

function turnedDown(looked: DiagnosisInput): string | null {
  const seen = of(looked, 'step_observed').find(
    ({ outcome, detail = '' }) => outcome === 'expired' || detail.includes('turned down at first'),
  );
  return seen === undefined ? null : (seen.detail ?? seen.outcome);
}

/** Finds a successful answer that does not fit the schema its tool was registered with. */
function otherShape(looked: DiagnosisInput): string | null {
  const wellTaken = new Set(
    of(looked, 'step_observed').flatMap(({ outcome, call_id }) => (outcome === 'ok' ? [call_id] : [])),
  );
  const misfit = of(looked, 'step_verified').find(({ ok, call_id }) => !ok && wellTaken.has(call_id));
  return misfit?.problems[0]?.message ?? null;
}

function reconciled(looked: DiagnosisInput): string | null {
  const done = of(looked, 'call_reconciled').find(({ finding }) => finding === 'happened');
  return done === undefined ? null : `${done.call_id} had happened already`;
}
