import type { EventOf, RunEvent } from '../model/event.ts';
import { readOutcome } from '../model/lane-outcome.ts';
import type { Plan } from '../model/plan.ts';
import { heardToHaveHappened, type SaidHappened } from '../model/said-happened.ts';
import { NO_COST, type ToolCall, type ToolResult } from '../model/tool.ts';
import type { Transcript } from '../model/transcript.ts';

/** The plans a run worked by, the last one being in force; read from what was proposed and what verification made of it. */
export function plansOf(events: readonly RunEvent[]): readonly Plan[] {
  let proposed: EventOf<'plan_proposed'> | null = null;
  const plans: Plan[] = [];
  for (const event of events) {
    if (event.type === 'plan_proposed') proposed = event;
    if (event.type !== 'plan_verified' || event.verdict !== 'ok') continue;
    // What passed verification without being changed is the very plan that was proposed.
    plans.push(event.plan ?? (proposed?.proposal as unknown as Plan));
  }
  return plans;
}

/** What was sent and what came back, one for each call that was answered, in the order of the answers. */
export const transcriptsOf = (runId: string, events: readonly RunEvent[]): readonly Transcript[] =>
  followed(runId, events).transcripts;

/** Calls that were made and that neither their tool nor a probe nor a person has said anything about. */
export const unheardOf = (runId: string, events: readonly RunEvent[]): readonly ToolCall[] =>
  followed(runId, events).out.map(({ call }) => call);

interface Followed {
  readonly transcripts: readonly Transcript[];
  /** Without an answer so far. */
  readonly out: readonly Sent[];
}

function followed(runId: string, events: readonly RunEvent[]): Followed {
  const plans = plansOf(events).map(stepsOf);
  const cleared = new Map<string, EventOf<'step_cleared'>>();
  const sent = new Map<string, Sent>();
  const out = new Map<string, Sent>();
  const transcripts: Transcript[] = [];
  const saidOf = heardToHaveHappened();
  let place = -1;
  for (const event of events) {
    if (event.type === 'plan_verified' && event.verdict === 'ok') place += 1;
    if (event.type === 'step_cleared') cleared.set(event.step_id, event);
    if (event.type === 'step_attempted') {
      const call = sentFrom(plans[place], cleared.get(event.step_id), event);
      if (call !== null) for (const calls of [sent, out]) calls.set(event.call_id, call);
    }
    if (event.type === 'call_reconciled' && event.finding !== 'unknown') out.delete(event.call_id);
    // Whoever decided has said what became of the call, or that it is made again.
    if (event.type === 'escalation_decided') out.clear();
    const answer = answerIn(event, saidOf(event));
    const call = answer === null ? undefined : sent.get(answer.call_id);
    if (answer !== null && call !== undefined) {
      // What was sent once more under the same key is the same call.
      const { idempotency_key: key } = call.call;
      for (const [id, other] of out) if (other.call.idempotency_key === key) out.delete(id);
      transcripts.push(transcriptOf(runId, call, answer, event.at));
    }
  }
  return { transcripts, out: [...out.values()] };
}

/** What a tool answered, what a lane came to, or what a probe or a person has found that it did after its answer was lost. */
function answerIn(event: RunEvent, said: SaidHappened | null): ToolResult | null {
  if (said !== null) {
    return { call_id: said.call_id, outcome: 'ok', raw: said.result, detail: `said by ${said.by}`, spent: NO_COST };
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

/** What takes an effect back stands in no plan; it is kept with the one that was in force when that was decided. */
const isStepOf = ({ steps }: PlanSteps, stepId: string): boolean => steps.has(stepId) || stepId.endsWith(':compensate');

type Sent = Pick<Transcript, 'plan_id' | 'call' | 'sent_at'>;

function sentFrom(
  plan: PlanSteps | undefined,
  cleared: EventOf<'step_cleared'> | undefined,
  { call_id, step_id, tool, idempotency_key, attempt, at }: EventOf<'step_attempted'>,
): Sent | null {
  if (plan === undefined || cleared === undefined || !isStepOf(plan, step_id)) return null;
  const { args, args_hash } = cleared;
  const call = { call_id, step_id, tool, args, args_hash, idempotency_key, attempt };
  return { plan_id: plan.plan_id, call, sent_at: at };
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
