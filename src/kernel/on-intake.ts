import type { EventOf } from '../model/event.ts';
import type { SecurityToken } from '../model/identity.ts';
import { askPlanner } from './ask-planner.ts';
import { openBudget } from './budget.ts';
import { raise } from './closing.ts';
import { classifiedAs, unclear } from './intent-known.ts';
import { assertCaps, assertToken, seatedIn } from './lanes/in-lane.ts';
import { askReader, chargeReading } from './on-reading.ts';
import { assertPinsKept } from './pins.ts';
import { whyImpossible } from './reachable.ts';
import { impossible, NOTHING, type Reacts } from './reaction.ts';
import { askNext } from './reactive/ask-next.ts';
import { isReactive, routeOf } from './reactive/route-of.ts';
import { openScopeGate } from './scope-gate.ts';
import type { IntakeState, RunState } from './state.ts';
import { standsOn, walk } from './walk.ts';

export const onGoalReceived: Reacts<'goal_received'> = (env, state, event) => {
  if (state.intake.goal !== null) throw impossible('a goal that was already received', state);
  const received: RunState = {
    ...(event.lane === undefined ? state : seatedIn(state, event)),
    id: { runId: event.run_id, traceId: event.trace_id, tenantId: event.tenant_id },
    intake: { ...state.intake, goal: event.goal, identity: event.identity, answers: event.inputs },
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
    return [raise(received, { code: 'MISSING_INFO', reason: 'goal_missing' }), NOTHING];
  }
  return [walk(env, received, 'classify_intent'), [{ kind: 'classify_intent' }]];
};

export const onIntentClassified: Reacts<'intent_classified'> = (env, state, event) => {
  if (!standsOn(env, state, 'classify_intent')) throw impossible('a classification nobody asked for', state);
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
  if (event.confidence >= env.limits.intentConfidence) return classifiedAs(env, classified);
  return askReader(env, classified) ?? unclear(env, classified);
};

export const onScopeResolved: Reacts<'scope_resolved'> = (env, state, event) => {
  if (!standsOn(env, state, 'scope_resolution')) throw impossible('a scope nobody asked for', state);
  if (event.token === null) {
    return [raise(state, { code: 'PERMISSION_DENIED', reason: event.reason ?? 'scope_refused' }), NOTHING];
  }
  assertWithin(state, event.token);
  assertToken(state, event.token);
  const resolved: RunState = { ...state, intake: { ...state.intake, token: event.token } };
  const { confirm = [] } = event;
  return confirm.length > 0 ? openScopeGate(env, resolved, confirm) : [resolved, [{ kind: 'check_policy' }]];
};

/** A token is what is left of an identity. Whatever it holds beyond that was not resolved but invented. */
function assertWithin(state: RunState, token: SecurityToken): void {
  const { identity } = state.intake;
  const same = identity?.actor === token.actor && identity.tenant_id === token.tenant_id;
  const roles = token.roles.every((role) => identity?.roles.includes(role));
  const scopes = token.data_scopes.every((scope) => identity?.scopes.includes(scope));
  if (!same || !roles || !scopes) throw impossible('a token that is not within the identity', state);
}

export const onPolicyChecked: Reacts<'policy_checked'> = (env, state, event) => {
  if (!standsOn(env, state, 'scope_resolution') || state.intake.token === null) {
    throw impossible('a clearance nobody asked for', state);
  }
  if (!event.cleared) {
    const detail = { rule: event.rule };
    return [raise(state, { code: 'UNSAFE_DETECTION', reason: 'policy_not_cleared', detail }), NOTHING];
  }
  const cleared = { ...state, intake: { ...state.intake, cleared: true } };
  return [walk(env, cleared, 'state_init'), [{ kind: 'init_run' }]];
};

export const onRunInitialized: Reacts<'run_initialized'> = (env, state, event) => {
  if (!standsOn(env, state, 'state_init')) throw impossible('a manifest nobody asked for', state);
  assertPinsKept(state.manifest, event.manifest);
  assertCaps(state, event.caps);
  const resumed = state.budget !== null;
  const initialized = {
    ...state,
    manifest: event.manifest,
    intake: withContext(state.intake, event),
    planning: event.untrusted_context === undefined ? state.planning : { ...state.planning, exposed: true },
    work: { ...state.work, evidenceByType: { ...event.evidence, ...state.work.evidenceByType } },
    budget: resumed ? state.budget : openBudget(event.caps),
    session: {
      ...state.session,
      deadlineAt: state.session.deadlineAt ?? state.now + event.caps.wall_clock_seconds_max * 1000,
    },
  };
  const charged = resumed ? initialized : chargeReading(initialized, state.intake.readingCost);
  if (charged.ending.stops.length > 0) return [charged, NOTHING];
  const impossibility = whyImpossible(env, charged);
  if (impossibility !== null) return [raise(charged, impossibility), NOTHING];
  return isReactive(env) ? askNext(env, charged, null) : askPlanner(env, walk(env, charged, 'plan'), null);
};

/** Where the context brought evidence that goes stale, the run knows when. */
export function withContext(
  intake: IntakeState,
  event: Pick<EventOf<'run_initialized'>, 'fresh_until' | 'evidence' | 'context'>,
): IntakeState {
  const { fresh_until, evidence, context } = event;
  const pinned = context === undefined ? intake : { ...intake, context };
  return fresh_until === undefined ? pinned : { ...pinned, contextEvidence: evidence, freshUntil: fresh_until };
}
