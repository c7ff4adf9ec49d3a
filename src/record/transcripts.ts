import type { EventOf, RunEvent } from '../model/events/event.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { Transcript } from '../model/record/transcript.ts';
import { readOutcome } from '../model/run/lane-outcome.ts';
import { type ReportedOutcome, reportedOutcomeReader } from '../model/tool/reported-outcome.ts';
import { NO_COST, type ToolCall, type ToolResult } from '../model/tool/tool.ts';

/** The verified plans of a run, in order; the last one is in force. */
export function plansOf(events: readonly RunEvent[]): readonly Plan[] {
  let proposed: EventOf<'plan_proposed'> | null = null;
  const plans: Plan[] = [];
  for (const event of events) {
    if (event.type === 'plan_proposed') proposed = event;
    if (event.type !== 'plan_verified' || event.verdict !== 'ok') continue;
    // A verified plan without changes is the proposed one.
    plans.push(event.plan ?? (proposed?.proposal as unknown as Plan));
  }
  return plans;
}

/** Call and answer of every answered call, in the order of the answers. */
export const transcriptsOf = (runId: string, events: readonly RunEvent[]): readonly Transcript[] =>
  followed(runId, events).transcripts;

/** Calls without an answer from their tool, a probe or a person. */
export const unansweredCalls = (runId: string, events: readonly RunEvent[]): readonly ToolCall[] =>
  followed(runId, events).out.map(({ call }) => call);

interface Followed {
  readonly transcripts: readonly Transcript[];
  /** Calls that are still unanswered. */
  readonly out: readonly Sent[];
}

function followed(runId: string, events: readonly RunEvent[]): Followed {
  const plans = plansOf(events).map(stepsOf);
  const cleared = new Map<string, EventOf<'step_cleared'>>();
  const sent = new Map<string, Sent>();
  const out = new Map<string, Sent>();
  const transcripts: Transcript[] = [];
  const reportIn = reportedOutcomeReader();
  let place = -1;
  for (const event of events) {
    if (event.type === 'plan_verified' && event.verdict === 'ok') place += 1;
    if (event.type === 'step_cleared') cleared.set(event.step_id, event);
    if (event.type === 'step_attempted') {
      const call = sentFrom(plans[place], cleared.get(event.step_id), event);
      if (call !== null) for (const calls of [sent, out]) calls.set(event.call_id, call);
    }
    if (event.type === 'call_reconciled' && event.finding !== 'unknown') out.delete(event.call_id);
    // The decider has reported the outcome of the calls or lets them be sent again.
    if (event.type === 'escalation_decided') out.clear();
    const answer = answerIn(event, reportIn(event));
    const call = answer === null ? undefined : sent.get(answer.call_id);
    if (answer !== null && call !== undefined) {
      // A call sent again under the same idempotency key is the same call.
      const { idempotency_key: key } = call.call;
      for (const [id, other] of out) if (other.call.idempotency_key === key) out.delete(id);
      transcripts.push(transcriptOf(runId, call, answer, event.at));
    }
  }
  return { transcripts, out: [...out.values()] };
}

/** The answer to a call, from its tool or lane, or from a probe or a person if the tool's answer was lost. */
function answerIn(event: RunEvent, report: ReportedOutcome | null): ToolResult | null {
  if (report !== null) {
    return {
      call_id: report.call_id,
      outcome: 'ok',
      raw: report.result,
      detail: `said by ${report.by}`,
      spent: NO_COST,
    };
  }
  if (event.type === 'step_observed') {
    const { at: _at, type: _type, ...result } = event;
    return result;
  }
  if (event.type === 'lane_returned') {
    const { outcome } = readOutcome(event.envelope);
    return { call_id: event.call_id, outcome, raw: event.envelope, spent: NO_COST };
  }
  if (event.type !== 'call_reconciled' || event.finding !== 'happened') return null;
  const { call_id, raw, probe } = event;
  return { call_id, outcome: 'ok', raw, detail: `found by ${probe}`, spent: NO_COST };
}

interface PlanSteps {
  readonly plan_id: string;
  readonly steps: ReadonlySet<string>;
}

const stepsOf = ({ plan_id, steps }: Plan): PlanSteps => ({ plan_id, steps: new Set(steps.map(({ id }) => id)) });

/** A compensation is in no plan; it belongs to the plan in force when it was decided. */
const isStepOf = ({ steps }: PlanSteps, stepId: string): boolean => steps.has(stepId) || stepId.endsWith(':compensate');

type Sent = Pick<Transcript, 'plan_id' | 'call' | 'sent_at'>;

function sentFrom(
  plan: PlanSteps | undefined,
  cleared: EventOf<'step_cleared'> | undefined,
  { call_id, step_id, tool, idempotency_key, attempt, at }: EventOf<'step_attempted'>,
): Sent | null {
  if (plan === undefined || cleared === undefined || !isStepOf(plan, step_id)) return null;
  const { args, args_hash, inputs } = cleared;
  const call = { call_id, step_id, tool, args, args_hash, idempotency_key, attempt };
  return { plan_id: plan.plan_id, call: inputs === undefined ? call : { ...call, inputs }, sent_at: at };
}

function transcriptOf(
  run_id: string,
  { plan_id, call, sent_at }: Sent,
  result: ToolResult,
  received_at: number,
): Transcript {
  const { call_id: transcript_id, step_id } = call;
  return { transcript_id, run_id, plan_id, step_id, call, result, sent_at, received_at };
}
