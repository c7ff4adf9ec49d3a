import {
  type Derived,
  type KernelEnv,
  plannerView,
  REFLECTION_POINTER,
  type RunState,
  verifyProposal,
} from '../../kernel/index.ts';
import type { TimeoutRangeMs } from '../../model/budget/kernel-limits.ts';
import type { EffectOf, PlanReason } from '../../model/events/effect.ts';
import type { EventBody } from '../../model/events/event.ts';
import { parseEventBody } from '../../model/events/event-schema.ts';
import type { CompiledContext } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Json } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { takeJson, takeProven } from '../../model/json/take-json.ts';
import { planOfCall } from '../../model/plan/goal.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { RecordedTimeouts } from '../../model/run/manifest.ts';
import { shownTool } from '../../model/tool/shown-tool.ts';
import { addCost, NO_COST, type ToolSpec } from '../../model/tool/tool.ts';
import type { Cancellation } from '../../ports/cancellation.ts';
import { type Clock, type Timer, wakeAt } from '../../ports/clock.ts';
import type { ModelAccount, OpenModelClient } from '../../ports/model/language-model.ts';
import type { CheckPlan, PlanAnswer, Planner, PlanRequest } from '../../ports/model/planner.ts';
import type { Scratchpads } from './scratchpads.ts';

/** The range of planner timeouts if the host names no other. */
const USUAL_RANGE_MS: TimeoutRangeMs = [5_000, 30_000];

/** The time limits of one planning pass with all its model requests. A model profile limits a single request. */
export interface PlannerTimeouts {
  readonly usualMs: number;
  readonly byTaskClass: Readonly<Record<string, number>>;
}

export interface PlannerCall {
  readonly planner: Planner;
  readonly timeoutMs: number;
  readonly context: CompiledContext;
  readonly tools: readonly ToolSpec[];
  readonly instructions?: string;
  readonly env: KernelEnv;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Opens a model client for this one request, with its budget. */
  readonly openModelClient: OpenModelClient;
  readonly pads: Scratchpads;
}

export function assertPlannerTimeouts(
  { usualMs, byTaskClass }: PlannerTimeouts,
  range: TimeoutRangeMs = USUAL_RANGE_MS,
): void {
  const [shortest, longest] = range;
  for (const [taskClass, timeoutMs] of [['usual', usualMs] as const, ...Object.entries(byTaskClass)]) {
    if (timeoutMs >= shortest && timeoutMs <= longest) continue;
    const bounds = range.map((ms) => ms.toLocaleString('en-US')).join(' to ');
    const fix = 'limits.plannerTimeoutRangeMs names another range';
    const message = `plannerTimeouts: ${taskClass} must be ${bounds} ms, not ${timeoutMs}; ${fix}`;
    throw new Fault('planner_timeout_out_of_range', message);
  }
}

/** The timeouts as the manifest of a run records them. A host that names no range records nothing. */
export function recordedTimeouts(
  { usualMs, byTaskClass }: PlannerTimeouts,
  range: TimeoutRangeMs | undefined,
): { readonly plannerTimeouts?: RecordedTimeouts } {
  if (range === undefined) return {};
  return { plannerTimeouts: { range_ms: range, usual_ms: usualMs, by_task_class: byTaskClass } };
}

export function plannerTimeout({ usualMs, byTaskClass }: PlannerTimeouts, taskClass: string | undefined): number {
  if (taskClass === undefined || !Object.hasOwn(byTaskClass, taskClass)) return usualMs;
  return byTaskClass[taskClass] ?? usualMs;
}

export function longestPlannerTimeout({ usualMs, byTaskClass }: PlannerTimeouts): number {
  return Math.max(usualMs, ...Object.values(byTaskClass));
}

/** Asks the planner and turns the result, be it a plan, prose, an exception or a timeout, into an event. */
export async function callPlanner(
  call: PlannerCall,
  state: RunState,
  effect: EffectOf<'propose_plan'>,
  recall: Cancellation,
): Promise<Derived> {
  const request = requestFor(call, state, effect);
  if (request === null) return planFailed(new Fault('input_missing', 'there is no goal to plan for'));
  const { call: asked, intent } = request.goal;
  if (asked !== undefined) return withAccount(toPlanEvent(planOfCall(asked, intent)), NOTHING);
  const stop = new AbortController();
  const late = Promise.withResolvers<null>();
  const onRecall = (): void => {
    stop.abort();
    late.resolve(null);
  };
  const { client, account } = call.openModelClient(call.env.limits.plannerCost, stop.signal);
  const pad = call.pads.of(state);
  const check: CheckPlan = (proposal) => verifyProposal(call.env, state, proposal as Json, 1);
  // The `finally` block below releases everything from here on.
  recall.addListener(onRecall);
  const wait = wakeAt(call.timer, call.clock.nowMs() + call.timeoutMs, () => late.resolve(null), late.reject);
  try {
    const planner = (effect.specialist === true ? call.planner.safer : undefined) ?? call.planner;
    const answered = await Promise.race([
      proposeSafely(() => planner.propose(request, stop.signal, client, check, pad)),
      late.promise,
    ]);
    return withAccount(answered ?? toFailureEvent(timeoutFault(call, recall)), account());
  } finally {
    wait.cancel();
    stop.abort(OVER);
    recall.removeListener(onRecall);
  }
}

/** Shared by all calls: creating the stack trace is the most expensive part of aborting, and no code reads it. */
const OVER = new DOMException('the planner is not waited for any more', 'AbortError');

function requestFor(call: PlannerCall, state: RunState, effect: EffectOf<'propose_plan'>): PlanRequest | null {
  const { goal, token, answers, intent } = state.intake;
  if (goal === null || token === null) return null;
  const { env, instructions } = call;
  const { compressed } = state.planning;
  const allowed = new Set(token.allowed_tools);
  return {
    // An ambiguous goal is planned under the intent that was chosen.
    goal: intent === null || intent === goal.intent ? goal : { ...goal, intent },
    inputs: answers,
    context: call.context,
    tools: call.tools.filter((tool) => allowed.has(tool.name)).map(shownTool),
    attempt: effect.attempt,
    ...(instructions === undefined ? {} : { instructions }),
    reason: shownReason(state, effect.reason),
    ...(compressed === undefined || compressed.digest === '' ? {} : { digest: compressed.digest }),
    ...(compressed?.untrusted === true ? { untrustedDigest: true as const } : {}),
    mode: env.limits.planning,
    decisions: [...env.catalog.values()],
    ...plannerView(env, state),
  };
}

function timeoutFault(call: PlannerCall, recall: Cancellation): Fault {
  if (recall.isCancelled) return new Fault('planner_failed', 'the planner was called back');
  return new Fault('planner_timeout', `the planner did not answer within ${call.timeoutMs} ms`);
}

async function proposeSafely(propose: () => Promise<PlanAnswer>): Promise<PlannerEvent> {
  try {
    return toEvent(await propose());
  } catch (error) {
    return toFailureEvent(Fault.is(error) ? error : new Fault('planner_failed', reasonOf(error), { cause: error }));
  }
}

type PlannerEvent = Extract<EventBody, { readonly type: 'plan_proposed' | 'plan_failed' }>;

/** Converts an answer to an event and checks it against the event schema. The Critic checks the proposal. */
function toEvent(answer: PlanAnswer): PlannerEvent {
  if (typeof answer !== 'object' || answer === null) throw new Fault('planner_failed', 'the planner gave no answer');
  const { author, spent, contextTokens: context_tokens, filled } = answer;
  const slots = filled === undefined ? {} : { filled: takeJson(filled) };
  const proposal = takeProven(answer.proposal);
  try {
    const body = parseEventBody({ type: 'plan_proposed', proposal: null, author, spent, context_tokens, ...slots });
    return { ...body, proposal } as PlannerEvent;
  } catch (error) {
    throw new Fault('planner_failed', `the planner's answer does not fit: ${reasonOf(error)}`, { cause: error });
  }
}

/** The event for a request that is a single call and needs no planner. */
const toPlanEvent = (plan: Plan): PlannerEvent => ({
  type: 'plan_proposed',
  proposal: plan as unknown as Json,
  author: 'host',
  spent: NO_COST,
  context_tokens: 0,
});

function toFailureEvent(fault: Fault): PlannerEvent {
  return { type: 'plan_failed', code: fault.code, message: reasonOf(fault), spent: NO_COST };
}

/** The answer of a planner that was not asked. */
export const planFailed = (fault: Fault): Derived => withAccount(toFailureEvent(fault), NOTHING);

const NOTHING: ModelAccount = { calls: [], blobs: [], spent: NO_COST };

/** Adds the model calls to the event. They are recorded and charged even if no plan resulted. */
function withAccount(event: PlannerEvent, { calls, blobs, spent }: ModelAccount): Derived {
  if (calls.length === 0) return { event, blobs };
  return { event: { ...event, spent: addCost(event.spent, spent), calls }, blobs };
}

/** The reason for a new plan, without a reflection that a compression left out. */
function shownReason({ planning }: RunState, reason: PlanReason | null): PlanReason | null {
  if (reason === null || planning.compressed?.demoted.includes(REFLECTION_POINTER) !== true) return reason;
  const { reflection: _, ...detail } = reason.detail;
  return { ...reason, detail };
}
