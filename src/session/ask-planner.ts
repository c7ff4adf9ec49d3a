import { toWire } from '../kernel/budget-view.ts';
import { elapsedMs } from '../kernel/checkpointing.ts';
import type { Derived } from '../kernel/derive.ts';
import { doneSteps } from '../kernel/done-steps.ts';
import { mayDraft } from '../kernel/draft/may-draft.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { notesFor } from '../kernel/on-session.ts';
import { plansFrom } from '../kernel/plans-from.ts';
import { shownHistory } from '../kernel/reactive/history-items.ts';
import { takenOf } from '../kernel/reactive/one-step.ts';
import { reasoningOf } from '../kernel/required-reasoning.ts';
import type { RunState } from '../kernel/state.ts';
import { verifyPlan } from '../kernel/verify/verify-plan.ts';
import { verifyContext } from '../kernel/verify-context.ts';
import type { CompiledContext } from '../model/context.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { Json } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import { reasonOf } from '../model/printable.ts';
import { planOfCall } from '../model/single-call.ts';
import { takeJson, takeProven } from '../model/take-json.ts';
import { addCost, NO_COST, type ToolSpec } from '../model/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeskAccount, OpenDesk } from '../ports/language-model.ts';
import type { CheckPlan, PlanAnswer, Planner, PlanRequest } from '../ports/planner.ts';
import type { Recall } from '../ports/recall.ts';
import { type Timer, wakeAt } from '../ports/timer.ts';
import type { Scratchpads } from './scratchpads.ts';
import { shownReason } from './shown-context.ts';
import { shownToPlanner } from './shown-to-planner.ts';

/** A planner gets between five and thirty seconds, by the class of the task. */
const PLANNER_TIMEOUT_MS_MIN = 5_000;
const PLANNER_TIMEOUT_MS_MAX = 30_000;

/** How long a planner may take: per class of task, and otherwise the usual time. */
export interface PlannerTimeouts {
  readonly usualMs: number;
  readonly byTaskClass: Readonly<Record<string, number>>;
}

export interface PlannerCall {
  readonly planner: Planner;
  readonly timeoutMs: number;
  readonly context: CompiledContext;
  readonly tools: readonly ToolSpec[];
  readonly env: KernelEnv;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Opens a desk for this one question, with what may be spent on it. */
  readonly openDesk: OpenDesk;
  readonly pads: Scratchpads;
}

export function assertPlannerTimeouts({ usualMs, byTaskClass }: PlannerTimeouts): void {
  for (const [taskClass, timeoutMs] of [['usual', usualMs] as const, ...Object.entries(byTaskClass)]) {
    if (timeoutMs >= PLANNER_TIMEOUT_MS_MIN && timeoutMs <= PLANNER_TIMEOUT_MS_MAX) continue;
    const message = `${taskClass}: a planner may take 5 to 30 seconds, not ${timeoutMs} ms`;
    throw new Fault('planner_timeout_out_of_range', message);
  }
}

export function plannerTimeout({ usualMs, byTaskClass }: PlannerTimeouts, taskClass: string | undefined): number {
  if (taskClass === undefined || !Object.hasOwn(byTaskClass, taskClass)) return usualMs;
  return byTaskClass[taskClass] ?? usualMs;
}

/** The longest any planner of this host may take. */
export function longestPlannerTimeout({ usualMs, byTaskClass }: PlannerTimeouts): number {
  return Math.max(usualMs, ...Object.values(byTaskClass));
}

/** Asks the planner and turns whatever happens, a plan, prose, an exception or silence, into an event. */
export async function askPlanner(
  call: PlannerCall,
  state: RunState,
  effect: EffectOf<'propose_plan'>,
  recall: Recall,
): Promise<Derived> {
  const request = requestFor(call, state, effect);
  if (request === null) return withAccount(failed(new Fault('input_missing', 'there is no goal to plan for')), NOTHING);
  const { call: asked, intent } = request.goal;
  if (asked !== undefined) return withAccount(planned(planOfCall(asked, intent)), NOTHING);
  const stop = new AbortController();
  const late = Promise.withResolvers<null>();
  const onRecall = (): void => {
    stop.abort();
    late.resolve(null);
  };
  const { desk, account } = call.openDesk(call.env.limits.plannerCost, stop.signal);
  const pad = call.pads.of(state);
  const check: CheckPlan = (proposal) =>
    verifyPlan(takenOf(call.env, state, proposal as Json), verifyContext(call.env, state), 1);
  // What is waited for from here on is let go of below, whatever happens.
  recall.heed(onRecall);
  const wait = wakeAt(call.timer, call.clock.nowMs() + call.timeoutMs, () => late.resolve(null), late.reject);
  try {
    const planner = (effect.specialist === true ? call.planner.safer : undefined) ?? call.planner;
    const answered = await Promise.race([
      heard(() => planner.propose(request, stop.signal, desk, check, pad)),
      late.promise,
    ]);
    return withAccount(answered ?? failed(silence(call, recall)), account());
  } finally {
    wait.cancel();
    stop.abort(OVER);
    recall.ignore(onRecall);
  }
}

/** One for all: to say where it was raised takes longer than everything else about it, and nobody reads that. */
const OVER = new DOMException('the planner is not waited for any more', 'AbortError');

function requestFor(call: PlannerCall, state: RunState, effect: EffectOf<'propose_plan'>): PlanRequest | null {
  const { goal, token, answers, intent } = state.intake;
  if (goal === null || token === null) return null;
  const { env } = call;
  const { compressed } = state.planning;
  const allowed = new Set(token.allowed_tools);
  return {
    // A goal that could be read in several ways is planned as the reading that was chosen.
    goal: intent === null || intent === goal.intent ? goal : { ...goal, intent },
    inputs: answers,
    context: call.context,
    tools: call.tools.filter((tool) => allowed.has(tool.name)).map(shownToPlanner),
    attempt: effect.attempt,
    ...notesShown(state),
    reason: shownReason(state, effect.reason),
    ...(compressed === undefined || compressed.digest === '' ? {} : { digest: compressed.digest }),
    from: plansFrom(env),
    mode: env.limits.planning,
    decisions: [...env.catalog.values()],
    budget: state.budget === null ? {} : toWire(state.budget, elapsedMs(state)).remaining,
    done: doneSteps(state).map(({ step, fact: { evidenceId, value, trusted } }) => ({
      step,
      evidenceId,
      value,
      trusted,
    })),
    ...(mayDraft(env, state) ? { mayDraft: true } : {}),
    mayAnswer: reasoningOf(state).needed === 'direct',
    history: shownHistory(state),
  };
}

function notesShown(state: RunState): Pick<PlanRequest, 'notes'> {
  const notes = notesFor(state);
  return notes.length === 0 ? {} : { notes: notes.map(({ by, text }) => ({ by, text })) };
}

function silence(call: PlannerCall, recall: Recall): Fault {
  if (recall.raised) return new Fault('planner_failed', 'the planner was called back');
  return new Fault('planner_timeout', `the planner did not answer within ${call.timeoutMs} ms`);
}

async function heard(propose: () => Promise<PlanAnswer>): Promise<PlannerEvent> {
  try {
    return taken(await propose());
  } catch (error) {
    return failed(Fault.is(error) ? error : new Fault('planner_failed', reasonOf(error), { cause: error }));
  }
}

type PlannerEvent = Extract<EventBody, { readonly type: 'plan_proposed' | 'plan_failed' }>;

/** The proposal is looked at by the Critic; what the planner says of itself is held to the journal's schema here. */
function taken(answer: PlanAnswer): PlannerEvent {
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

/** What is asked for is one call: there is nothing to think about. */
const planned = (plan: Plan): PlannerEvent => ({
  type: 'plan_proposed',
  proposal: plan as unknown as Json,
  author: 'host',
  spent: NO_COST,
  context_tokens: 0,
});

function failed(fault: Fault): PlannerEvent {
  return { type: 'plan_failed', code: fault.code, message: reasonOf(fault), spent: NO_COST };
}

const NOTHING: DeskAccount = { calls: [], blobs: [], spent: NO_COST };

/** What models were asked on the way is on record and charged, whether or not a plan came of it. */
function withAccount(event: PlannerEvent, { calls, blobs, spent }: DeskAccount): Derived {
  if (calls.length === 0) return { event, blobs };
  return { event: { ...event, spent: addCost(event.spent, spent), calls }, blobs };
}
