import type { SecurityToken } from '../model/identity.ts';
import { askPlanner } from './ask-planner.ts';
import { askUser } from './ask-user.ts';
import { openBudget } from './budget.ts';
import { raise } from './closing.ts';
import { whyImpossible } from './reachable.ts';
import { impossible, NOTHING, type Reacts } from './reaction.ts';
import { askNext } from './reactive/ask-next.ts';
import { isReactive, routeOf } from './reactive/route-of.ts';
import type { RunState } from './state.ts';
import { standsOn, walk } from './walk.ts';

export const onGoalReceived: Reacts<'goal_received'> = (env, state, event) => {
  if (state.intake.goal !== null) throw impossible('a goal that was already received', state);
  const received = {
    ...state,
    id: { runId: event.run_id, traceId: event.trace_id, tenantId: event.tenant_id },
    intake: { ...state.intake, goal: event.goal, identity: event.identity, answers: event.inputs },
    session: {
      ...state.session,
      startedAt: event.at,
      lastSeen: event.at,
      expiresAt: event.expires_at,
      heartbeatMs: event.heartbeat_ms,
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
    },
  };
  if (!(event.confidence >= env.limits.intentConfidence)) {
    return askUser(env, classified, { code: 'AMBIGUOUS_INTENT', fields: ['intent'], readings: event.candidates });
  }
  const missing = missingFields(classified);
  if (missing.length > 0) return askUser(env, classified, { code: 'MISSING_INFO', fields: missing, readings: [] });
  return [walk(env, classified, 'scope_resolution'), [{ kind: 'resolve_scope' }]];
};

/** What the goal says it cannot do without, and nobody has given. */
function missingFields({ intake }: RunState): readonly string[] {
  return intake.goal?.required_fields?.filter((field) => !Object.hasOwn(intake.answers, field)) ?? [];
}

export const onScopeResolved: Reacts<'scope_resolved'> = (env, state, event) => {
  if (!standsOn(env, state, 'scope_resolution')) throw impossible('a scope nobody asked for', state);
  if (event.token === null) {
    return [raise(state, { code: 'PERMISSION_DENIED', reason: event.reason ?? 'scope_refused' }), NOTHING];
  }
  assertWithin(state, event.token);
  return [{ ...state, intake: { ...state.intake, token: event.token } }, [{ kind: 'check_policy' }]];
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
  const resumed = state.budget !== null;
  const initialized = {
    ...state,
    manifest: event.manifest,
    planning: event.untrusted_context === undefined ? state.planning : { ...state.planning, exposed: true },
    work: { ...state.work, evidenceByType: { ...event.evidence, ...state.work.evidenceByType } },
    budget: resumed ? state.budget : openBudget(event.caps),
    session: {
      ...state.session,
      deadlineAt: state.session.deadlineAt ?? state.now + event.caps.wall_clock_seconds_max * 1000,
    },
  };
  const impossibility = whyImpossible(env, initialized);
  if (impossibility !== null) return [raise(initialized, impossibility), NOTHING];
  return isReactive(env) ? askNext(env, initialized, null) : askPlanner(env, walk(env, initialized, 'plan'), null);
};
