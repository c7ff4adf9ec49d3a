import type { Budget } from '../../model/budget/budget.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { Stop } from '../../model/fault/terminal-code.ts';
import type { AcceptanceCriterion } from '../../model/plan/goal.ts';
import type { SecurityToken } from '../../model/run/identity.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import { openBudget, settle } from '../budget/budget.ts';
import { setContext } from '../budget/gauges.ts';
import type { KernelEnv } from '../env.ts';
import { applyLaneContext, assertCaps, assertToken } from '../flow/lane/apply-lane-context.ts';
import { askIntent, continueWithIntent, readIntentEffect } from '../flow/people/ask-user.ts';
import { openScopeGate } from '../flow/people/open-gates.ts';
import { askNext, requestPlan } from '../flow/plan/replan.ts';
import { historyTokensMax } from '../query/plan/history-limit.ts';
import { assertBoundaryVersion, assertPinsKept } from '../query/plan/pins.ts';
import { isReactive, routeOf } from '../query/plan/reactive-route.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { IntakeState, RunState } from '../state/run-state.ts';
import { land, launch, NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { isAtNode, walk } from '../transition/walk.ts';

export const onGoalReceived: Reacts<'goal_received'> = (env, state, event) => {
  if (state.intake.goal !== null) throw impossibleEvent('a goal that was already received', state);
  const received: RunState = {
    ...(event.lane === undefined ? state : applyLaneContext(state, event)),
    id: { runId: event.run_id, traceId: event.trace_id, tenantId: event.tenant_id },
    intake: {
      ...state.intake,
      goal: event.goal,
      identity: event.identity,
      answers: event.inputs,
      ...(event.thread === undefined ? {} : { thread: event.thread }),
    },
    session: {
      ...state.session,
      startedAt: event.at,
      lastSeen: event.at,
      expiresAt: event.ttl_ms === undefined ? event.expires_at : event.at + event.ttl_ms,
      heartbeatMs: event.heartbeat_ms,
      ...(event.progress_ms === undefined ? {} : { progressMs: event.progress_ms }),
    },
  };
  const hasTask = isReactive(env) ? routeOf(env, received).to === 'classifier' : event.goal.statement.trim() !== '';
  if (!hasTask) {
    return [raise(received, { code: 'MISSING_INFO', reason: 'goal_missing' }), NO_EFFECTS];
  }
  return [walk(env, received, 'classify_intent'), [{ kind: 'classify_intent' }]];
};

export const onIntentClassified: Reacts<'intent_classified'> = (env, state, event) => {
  if (!isAtNode(env, state, 'classify_intent')) throw impossibleEvent('a classification nobody asked for', state);
  const classified = {
    ...state,
    intake: {
      ...state.intake,
      intent: event.intent,
      risk: event.risk,
      taskClass: event.task_class,
      confidence: event.confidence,
      readings: event.candidates,
      ...(event.regulated === undefined ? {} : { regulated: event.regulated }),
    },
  };
  if (event.confidence >= env.limits.intentConfidence) return continueWithIntent(env, classified);
  return askReader(env, classified) ?? askIntent(env, classified);
};

export const onScopeResolved: Reacts<'scope_resolved'> = (env, state, event) => {
  if (!isAtNode(env, state, 'scope_resolution')) throw impossibleEvent('a scope nobody asked for', state);
  if (event.token === null) {
    return [raise(state, { code: 'PERMISSION_DENIED', reason: event.reason ?? 'scope_refused' }), NO_EFFECTS];
  }
  assertWithinIdentity(state, event.token);
  assertToken(state, event.token);
  const resolved: RunState = { ...state, intake: { ...state.intake, token: event.token } };
  const { confirm = [] } = event;
  return confirm.length > 0 ? openScopeGate(env, resolved, confirm) : [resolved, [{ kind: 'check_policy' }]];
};

/** Requires that the token holds nothing beyond the identity. */
function assertWithinIdentity(state: RunState, token: SecurityToken): void {
  const { identity } = state.intake;
  const same = identity?.actor === token.actor && identity.tenant_id === token.tenant_id;
  const roles = token.roles.every((role) => identity?.roles.includes(role));
  const scopes = token.data_scopes.every((scope) => identity?.scopes.includes(scope));
  if (!same || !roles || !scopes) throw impossibleEvent('a token that is not within the identity', state);
}

export const onPolicyChecked: Reacts<'policy_checked'> = (env, state, event) => {
  if (!isAtNode(env, state, 'scope_resolution') || state.intake.token === null) {
    throw impossibleEvent('a clearance nobody asked for', state);
  }
  if (!event.cleared) {
    const detail = { rule: event.rule };
    return [raise(state, { code: 'UNSAFE_DETECTION', reason: 'policy_not_cleared', detail }), NO_EFFECTS];
  }
  const cleared = { ...state, intake: { ...state.intake, cleared: true } };
  return [walk(env, cleared, 'state_init'), [{ kind: 'init_run' }]];
};

export const onRunInitialized: Reacts<'run_initialized'> = (env, state, event) => {
  if (!isAtNode(env, state, 'state_init')) throw impossibleEvent('a manifest nobody asked for', state);
  assertPinsKept(state.manifest, event.manifest);
  assertBoundaryVersion(env, state, event.manifest);
  assertCaps(state, event.caps);
  const resumed = state.budget !== null;
  const initialized = {
    ...state,
    manifest: event.manifest,
    intake: withContext(state.intake, event),
    planning: event.untrusted_context === undefined ? state.planning : { ...state.planning, exposed: true },
    work: { ...state.work, evidenceByType: { ...event.evidence, ...state.work.evidenceByType } },
    budget: resumed ? state.budget : openedBudget(env, event),
    session: {
      ...state.session,
      deadlineAt: state.session.deadlineAt ?? state.now + event.caps.wall_clock_seconds_max * 1000,
    },
  };
  const charged = resumed ? initialized : chargeReading(initialized, state.intake.readingCost);
  if (charged.ending.stops.length > 0) return [charged, NO_EFFECTS];
  const impossibility = whyImpossible(env, charged);
  if (impossibility !== null) return [raise(charged, impossibility), NO_EFFECTS];
  return isReactive(env) ? askNext(env, charged, null) : requestPlan(env, walk(env, charged, 'plan'), null);
};

/** The budget of a new run. The earlier messages that its models may read take up context from the start. */
function openedBudget(env: KernelEnv, { caps, history }: EventOf<'run_initialized'>): Budget {
  const opened = openBudget(caps);
  if (history === undefined) return opened;
  return setContext(opened, Math.min(history.tokens, historyTokensMax(env, caps) ?? history.tokens));
}

/** Stores the expiry of evidence from the context. */
export function withContext(
  intake: IntakeState,
  event: Pick<EventOf<'run_initialized'>, 'fresh_until' | 'evidence' | 'context' | 'history'>,
): IntakeState {
  const { fresh_until, evidence, context, history } = event;
  const kept = history === undefined ? intake : { ...intake, history };
  const pinned = context === undefined ? kept : { ...kept, context };
  return fresh_until === undefined ? pinned : { ...pinned, contextEvidence: evidence, freshUntil: fresh_until };
}

/** The stop of a goal that no plan can reach: it needs evidence that no tool of this run can produce. */
function whyImpossible(env: KernelEnv, state: RunState): Stop | null {
  const blocked = state.intake.goal?.acceptance_criteria.find((criterion) => isBlocked(env, state, criterion));
  if (blocked === undefined) return null;
  const { id, statement, evidence = '' } = blocked;
  const blocker = `no tool of this run supplies ${evidence}, and without it nothing shows: ${statement}`;
  // Lists tools that could produce it if the run were allowed to use them.
  const withheld = env.tools.specs.filter(({ produces }) => produces.includes(evidence)).map(({ name }) => name);
  return { code: 'IMPOSSIBLE', reason: 'capability_missing', detail: { criterion: id, evidence, blocker, withheld } };
}

function isBlocked(env: KernelEnv, state: RunState, { rank, evidence }: AcceptanceCriterion): boolean {
  if (rank !== 'primary' || evidence === undefined) return false;
  if (Object.hasOwn(state.work.evidenceByType, evidence)) return false;
  return !state.intake.token?.allowed_tools.some((name) => {
    const spec = env.tools.get(name);
    return spec?.active === true && spec.produces.includes(evidence);
  });
}

/** Asks a model to choose among the possible intents. Null without a classifier or a choice. */
function askReader(env: KernelEnv, state: RunState): Reaction | null {
  if (env.limits.classifierCost === null || state.intake.readings.length < 2) return null;
  return launch(state, 'reading', readIntentEffect(state));
}

/** Applies the model's choice of intent, or asks the user if its confidence is too low. */
export const onIntentRead: Reacts<'intent_read'> = (env, state, event) => {
  const landed = land(state, 'reading');
  const { intent, task_class, confidence, spent, declined, impossible } = event;
  const { readings } = state.intake;
  if (intent !== null && !readings.includes(intent))
    throw impossibleEvent('a reading that nobody put before the model', state);
  const paid: RunState = { ...landed, intake: { ...landed.intake, readingCost: spent } };
  if (intent === null && declined !== undefined && confidence >= env.limits.intentConfidence) {
    const stop: Stop = impossible
      ? { code: 'IMPOSSIBLE', reason: 'no_tool_for_request' }
      : { code: 'SUCCESS', reason: 'declined', detail: { text: declined } };
    return [raise(paid, stop), NO_EFFECTS];
  }
  if (intent === null || !(confidence >= env.limits.intentConfidence)) return askIntent(env, paid);
  // The risk stays that of the riskiest reading: a model cannot lower it.
  return continueWithIntent(env, { ...paid, intake: { ...paid.intake, intent, taskClass: task_class, confidence } });
};

/** Charges the cost of reading the request once the run has a budget. */
function chargeReading(state: RunState, spent: ToolCost | undefined): RunState {
  if (spent === undefined || state.budget === null) return state;
  const { input_tokens, output_tokens, microusd: cost_microusd } = spent;
  const { budget, overrun } = settle(state.budget, {}, { input_tokens, output_tokens, cost_microusd }, 'planner');
  const charged = { ...state, budget };
  if (overrun === null) return charged;
  const detail = { dimension: overrun };
  return raise(charged, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail });
}
