import { approvalsFor } from '../../model/critic/decision.ts';
import type { EventOf } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Stop } from '../../model/fault/terminal-code.ts';
import { compareModes, runsInline } from '../../model/gate/approval-mode.ts';
import { GATE_DRAFT_APPROVAL } from '../../model/gate/gate.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import { BOUNDARY_GATE } from '../../model/policy/boundary.ts';
import { realCalls } from '../../model/tool/inner-call.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { type Need, reserve, settle } from '../budget/budget.ts';
import { laneNeed } from '../budget/lane-caps.ts';
import type { KernelEnv } from '../env.ts';
import { callReplacement, endUnavailable, takeCached } from '../flow/call/degrade.ts';
import { exposePlanning } from '../flow/call/late-answer.ts';
import { escalateCooldown, refusedUntil } from '../flow/call/tool-cooldown.ts';
import { assignLane, launchLane, postponeStep, removeLane, runInParallel } from '../flow/lane/launch.ts';
import { askUser } from '../flow/people/ask-user.ts';
import { escalateOverBudget, escalateRun } from '../flow/people/escalate.ts';
import { openActionGates } from '../flow/people/open-gates.ts';
import { loopDetected } from '../flow/plan/replan.ts';
import { callConditions } from '../query/call/conditions.ts';
import { callInDoubt, findDuplicate, isAbsorbed, noteDoubt, openDoubt } from '../query/call/doubt.ts';
import { doubtOfTool } from '../query/call/doubted-tool.ts';
import { assertPermitted, assertStored, decisionOn } from '../query/call/policy-record.ts';
import { earliestDispatch, isClearanceOf, sendCall, toolCall } from '../query/call/tool-call.ts';
import { grantedUntil, missingGates, useGrants } from '../query/gate/grants.ts';
import { assertStanding, isOpenedByStandingGrant, noteStanding } from '../query/gate/standing-grants.ts';
import { carriesDraft, knownSteps } from '../query/plan/drafts.ts';
import { equalCallsMax, leavesRun, realTools, specOf, specOfCall } from '../query/plan/tools.ts';
import { assertOrigin, isGranted, noteGrant } from '../query/provenance/request-grant.ts';
import { currentPlanStep } from '../query/rollback/made-effects.ts';
import type { ObservedState } from '../state/call-state.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import { callsMade, type NotedCall, noteCall, notePace, noteSubtask } from '../state/loop-guard.ts';
import { meterGpu } from '../state/meters.ts';
import { hasRule } from '../state/rules.ts';
import type { CurrentStep, RunState } from '../state/run-state.ts';
import { vecPush } from '../state/vec.ts';
import { land, launch, NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { isAtNode, walk } from '../transition/walk.ts';
import { effectiveMode } from '../verify/step-rules.ts';

/** Handles a call that the gateway has cleared: applies the loop guard, the budget and the gates. */
export const onStepCleared: Reacts<'step_cleared'> = (env, state, event) =>
  state.lanes === undefined
    ? handleClearance(env, state, event)
    : runInParallel(env, state, () => handleClearance(env, state, event));

function handleClearance(env: KernelEnv, state: RunState, event: EventOf<'step_cleared'>): Reaction {
  const current = currentAt(env, state, event.step_id, 'intended');
  const spec = specOf(env, current.tool);
  assertCleared(env, state, spec, event);
  assertPermitted(env, state, event);
  if (state.work.tripped !== undefined) assertCooldownOver(state, current);
  const notBefore = earliestDispatch(state, current, event);
  const fresh = current.reserved === null && current.attempt === 1;
  const noted = noteDispatch(env, state, fresh ? current : null, spec);
  const permitted: RunState = {
    ...noteStanding(noteGrant(state, event), event),
    guard: noted.guard,
    current: { ...withClearance(state, current, event), rung: 'cleared', mode: event.mode, notBefore },
  };
  if (noted.trip !== null) return loopDetected(env, permitted, noted.trip);
  const real = specOfCall(env, current);
  const duplicate = noted.repeats === 0 ? null : findDuplicate(env, permitted, real, current);
  if (duplicate !== null) return escalateRun(env, permitted, 'workflow_issue', duplicate);
  const doubted = doubtOfTool(env, permitted, current);
  if (doubted !== null) return handBackDoubt(env, permitted, doubted.stop, doubted.isForeign);
  const draftGate = draftGateOf(state, real, event);
  const usesLanes = spec.lane !== undefined || env.limits.parallelSteps > 1;
  const funded = reserveCall(
    env,
    usesLanes ? assignLane(env, permitted, spec, isFree(event) && draftGate === null) : permitted,
    real,
  );
  if (!funded.ok) return funded.refused;
  const key = nextKey(env, funded.state, current, fresh ? noted.repeats : callsMade(noted.guard, current) - 1);
  const gates = missingGates(env, funded.state, draftGate === null ? event.gates : [draftGate], key);
  if (gates.length > 0) return openActionGates(env, funded.state, gates);
  return attemptCall(env, funded.state, real, key, event.standing?.expires_at ?? Number.POSITIVE_INFINITY);
}

/**
 * The gate of a call that only the approval of its plan permits: the approver has not seen the drafted text. Null for any
 * other call (ADR 0082).
 */
function draftGateOf(state: RunState, spec: ToolSpec, event: EventOf<'step_cleared'>): string | null {
  if (!state.planning.approved || !isFree(event) || !hasRule(state, 'drafts_shown')) return null;
  const step = currentPlanStep(state);
  if (step === undefined || !leavesRun(spec)) return null;
  return carriesDraft(step, knownSteps(state)) ? GATE_DRAFT_APPROVAL : null;
}

/** Whether the call needs no approval and has none. */
const isFree = ({ gates, granted, standing }: EventOf<'step_cleared'>): boolean =>
  gates.length === 0 && granted === undefined && standing === undefined;

function assertCooldownOver(state: RunState, { tool, cached }: CurrentStep): void {
  if (cached === undefined && refusedUntil(state, tool) !== null)
    throw impossibleEvent(`${tool} is called too early`, state);
}

/** Adds the policy decision, the preview and the standing grant of the clearance. */
function withClearance(state: RunState, current: CurrentStep, event: EventOf<'step_cleared'>): CurrentStep {
  const { preview, standing } = event;
  const policy = decisionOn(state, event);
  const ruled = policy === undefined ? current : { ...current, policy };
  const shown = preview === undefined ? ruled : { ...ruled, preview };
  return standing === undefined ? shown : { ...shown, standing: standing.grant_id };
}

/** Counts the call for the rate limit and, unless it is a retry, for the loop guard. */
function noteDispatch(env: KernelEnv, state: RunState, call: CurrentStep | null, { lane }: ToolSpec): NotedCall {
  const { guard: paced, trip } = notePace(state.guard, state.now);
  if (trip !== null || call === null) return { guard: paced, trip, repeats: 0 };
  const note = lane !== undefined && hasRule(state, 'equal_lanes_reviewed') ? noteSubtask : noteCall;
  return note(paced, call.tool, call.argsHash, equalCallsMax(env, call));
}

/**
 * Checks a clearance. The gateway may add gates or a stricter mode; a journal in which it changed the call, or left out
 * a gate, is rejected.
 */
export function assertCleared(env: KernelEnv, state: RunState, spec: ToolSpec, event: EventOf<'step_cleared'>): void {
  const { current } = state;
  if (current === null) throw impossibleEvent('a clearance of nothing', state);
  if (!isClearanceOf(current, event)) throw impossibleEvent('other arguments than the plan leads to', state);
  const step = currentPlanStep(state);
  if (step === undefined) throw impossibleEvent('a step without a plan', state);
  const { needs_approval = NO_GATES } = state.manifest?.autonomy_boundary.tools ?? {};
  for (const tool of realTools(env, current)) {
    const real = specOf(env, tool);
    if (compareModes(event.mode, effectiveMode(step, real)) < 0)
      throw impossibleEvent(`${event.mode} is too weak a mode`, state);
    assertGatesCovered(state, event, real.gates);
    assertGatesCovered(state, event, approvalsFor(env.catalog, tool));
    if (needs_approval.includes(tool)) assertGatesCovered(state, event, BOUNDARY_GATES);
  }
  assertGatesCovered(state, event, step.requires ?? NO_GATES);
  assertConditions(env, state, step, current);
  assertGated(state, event);
  assertOrigin(state, current, spec, event);
  assertStanding(env, state, spec, event);
}

/** Requires that no condition of the boundary denies the call, or one that it passes on. */
function assertConditions(env: KernelEnv, state: RunState, step: PlanStep, call: CurrentStep): void {
  const denied = callConditions(env, state);
  if (denied === null) return;
  for (const { tool, args } of realCalls(call, (name) => env.tools.get(name)) ?? [call]) {
    const [first] = denied(step, specOf(env, tool), args);
    if (first !== undefined) throw impossibleEvent(`a call that is denied: ${first.message}`, state);
  }
}

/** Requires a gate or an earlier approval for a call that may not run inline. */
function assertGated(state: RunState, { mode, gates, granted, standing }: EventOf<'step_cleared'>): void {
  const isFree = gates.length > 0 || granted !== undefined || standing !== undefined || runsInline(mode);
  if (!isFree) throw impossibleEvent(`a ${mode} call that nobody is asked about`, state);
}

const NO_GATES: readonly string[] = Object.freeze([]);
const BOUNDARY_GATES: readonly string[] = Object.freeze([BOUNDARY_GATE]);

/** Requires that the clearance names each gate, or that an earlier approval opens it. */
function assertGatesCovered(state: RunState, event: EventOf<'step_cleared'>, gates: readonly string[]): void {
  const left = gates.length === 0 ? gates : gates.filter((gate) => !isGateCovered(event, gate));
  if (left.length > 0) throw impossibleEvent(`the gates ${left.join(', ')} were left out`, state);
}

const isGateCovered = (event: EventOf<'step_cleared'>, gate: string): boolean =>
  event.gates.includes(gate) || isGranted(event, gate) || isOpenedByStandingGrant(event, gate);

type Funded = { readonly ok: true; readonly state: RunState } | { readonly ok: false; readonly refused: Reaction };

/** Reserves the maximum cost of the call. A step that waited at a gate keeps its reservation. */
function reserveCall(env: KernelEnv, state: RunState, spec: ToolSpec): Funded {
  const current = state.current;
  if (current === null || state.budget === null) throw impossibleEvent('a call without a step or a budget', state);
  if (current.reserved !== null) return { ok: true, state };
  const need =
    current.laneContext === undefined
      ? needOf(spec, current.attempt, mayHaveEffect(env, state, current, spec))
      : laneNeed(current.laneContext.caps);
  const reserved = reserve(state.budget, need, 'executor');
  // The budget does not cover a lane for a parallel step, so the run makes the call itself.
  if (!reserved.ok && current.laneContext !== undefined && spec.lane === undefined)
    return reserveCall(env, removeLane(state), spec);
  if (!reserved.ok) return { ok: false, refused: escalateOverBudget(env, state, reserved) };
  return { ok: true, state: { ...state, budget: reserved.budget, current: { ...current, reserved: need } } };
}

/** Whether this dispatch can have an effect. A repeat that the tool absorbs has none. */
function mayHaveEffect(env: KernelEnv, state: RunState, current: CurrentStep, spec: ToolSpec): boolean {
  if (!spec.side_effect || current.attempt === 1) return spec.side_effect;
  if (spec.idempotency.kind === 'natural') return false;
  const doubt = openDoubt(state, current);
  return doubt === null || !isAbsorbed(spec, doubt, dispatchBefore(env, state, current));
}

/** A step counts once, however often its call is tried. */
function needOf(spec: ToolSpec, attempt: number, hasEffect: boolean): Need {
  return {
    steps: attempt === 1 ? 1 : 0,
    tool_calls: 1,
    external_api_calls: spec.external ? 1 : 0,
    side_effects: hasEffect ? 1 : 0,
    input_tokens: spec.cost.input_tokens,
    output_tokens: spec.cost.output_tokens,
    tool_spend_microusd: spec.cost.microusd,
  };
}

/** Creates the intent. A call in doubt is repeated under its key if the tool absorbs it; otherwise a person decides. */
function attemptCall(env: KernelEnv, state: RunState, spec: ToolSpec, key: string, grantExpiresAt: number): Reaction {
  const current = state.current;
  if (current === null) throw impossibleEvent('an attempt without a step', state);
  // The call must be sent before each permission expires.
  const tokenExpiresAt = state.intake.token?.expires_at ?? Number.POSITIVE_INFINITY;
  const permitted = Math.min(grantExpiresAt, grantedUntil(env, state, key), tokenExpiresAt) - 1;
  const dispatch_before = Math.min(dispatchBefore(env, state, current), permitted);
  const doubt = openDoubt(state, current);
  if (doubt !== null && !isAbsorbed(spec, doubt, dispatch_before)) {
    return handBackDoubt(env, state, callInDoubt(current), doubt.foreign === true);
  }
  const call = toolCall(current, `call_${state.counters.calls + 1}`, key);
  return [state, [{ kind: 'attempt_step', call, timeout_ms: spec.timeout_ms, dispatch_before }]];
}

/** A person settles a call in doubt. A lane ends if another run made the call, because its parent may know the outcome. */
function handBackDoubt(env: KernelEnv, state: RunState, stop: Stop, isForeign: boolean): Reaction {
  if (isForeign && state.laneContext !== undefined) return [raise(state, stop), NO_EFFECTS];
  return escalateRun(env, state, 'call_in_doubt', stop);
}

const dispatchBefore = (env: KernelEnv, { now }: RunState, { notBefore }: CurrentStep): number =>
  Math.max(now, notBefore) + env.limits.dispatchWindowMs;

/** A call in doubt is repeated under its key. */
const nextKey = (env: KernelEnv, state: RunState, current: CurrentStep, group: number): string =>
  openDoubt(state, current)?.key ?? keyOf(env, state, current, group);

/** All tries of one call share a key. An approved repeat of the call has another. */
const keyOf = (env: KernelEnv, { id }: RunState, { stepId, tool, argsHash }: CurrentStep, group: number): string =>
  env.hash(`${id.runId}\n${stepId}\n${tool}\n${argsHash}${group === 0 ? '' : `\n${group}`}`);

/** Dispatches the call after its intent is recorded. Only the writer of that frame may dispatch. */
export const onStepAttempted: Reacts<'step_attempted'> = (env, state, event) => {
  const current = currentAt(env, state, event.step_id, 'cleared');
  const { call_id, idempotency_key, timeout_ms, dispatch_before } = event;
  const attempted: RunState = {
    ...useGrants(env, state, idempotency_key),
    counters: { ...state.counters, calls: state.counters.calls + 1 },
    current: {
      ...current,
      rung: 'attempted',
      call: {
        callId: call_id,
        key: idempotency_key,
        dispatchBefore: dispatch_before,
        timeoutMs: timeout_ms,
        reconciled: false,
      },
    },
  };
  if (current.laneContext !== undefined) return launchLane(env, attempted);
  return dispatch(env, walk(env, attempted, 'tool_invocation'), current, event);
};

function dispatch(env: KernelEnv, state: RunState, current: CurrentStep, event: EventOf<'step_attempted'>): Reaction {
  const { call_id, idempotency_key, timeout_ms, dispatch_before } = event;
  const sent = sendCall(env, current, call_id, idempotency_key);
  return launch(state, 'call', { ...sent, timeout_ms, not_before: current.notBefore, dispatch_before });
}

/** Handles a refusal by the gateway: asks for missing fields, tries a replacement, escalates or ends the run. */
export const onStepRefused: Reacts<'step_refused'> = (env, state, event) => {
  const current = currentAt(env, state, event.step_id, 'intended');
  if (state.lanes !== undefined) return postponeStep(env, state);
  if (event.missing.length > 0) {
    return askUser(env, state, { code: 'MISSING_INFO', fields: event.missing, readings: [] });
  }
  const detail = { step_id: event.step_id, layer: event.layer, code: event.code, message: event.message };
  if (event.layer === 'budget') {
    return escalateRun(env, state, 'budget_limit', { code: 'BUDGET_EXHAUSTED', reason: event.code, detail });
  }
  if (event.code === 'dependency_unavailable') {
    return (
      escalateCooldown(env, state, current, detail) ??
      callReplacement(env, state, current) ??
      endUnavailable(state, current, detail)
    );
  }
  if (event.layer === 'registry' || event.layer === 'schema') {
    return escalateRun(env, state, 'validation_failed', { code: 'VALIDATION_FAIL', reason: event.code, detail });
  }
  const code = event.code === 'call_in_doubt' ? 'REVIEW_REQUIRED' : 'PERMISSION_DENIED';
  return [raise(state, { code, reason: event.code, detail }), NO_EFFECTS];
};

/** Records and charges an observation as it came. It is verified next. */
export const onStepObserved: Reacts<'step_observed'> = (env, state, event) => {
  const sent = currentOn(state, event.call_id, 'attempted');
  if (event.unsent !== undefined && event.outcome === 'ok')
    throw impossibleEvent('an answer to a call never sent', state);
  const current = sent.cached === event.cached ? sent : takeCached(env, state, sent, event);
  const landed = meterGpu(land(state, 'call'), event.spent);
  if (landed.budget === null || current.reserved === null)
    throw impossibleEvent('an observation without a budget', state);
  const { spent } = event;
  const settled = settle(
    landed.budget,
    current.reserved,
    {
      ...(event.unsent === undefined ? current.reserved : withoutEffect(current.reserved)),
      input_tokens: spent.input_tokens,
      output_tokens: spent.output_tokens,
      tool_spend_microusd: spent.microusd,
    },
    'executor',
  );
  const observed: RunState = {
    ...landed,
    budget: settled.budget,
    planning: exposePlanning(env, landed, current),
    current: {
      ...current,
      rung: 'observed',
      reserved: null,
      observed: observedFrom(state, event),
    },
    work: { ...state.work, transcripts: vecPush(state.work.transcripts, event.call_id) },
  };
  const captured = walk(env, observed, 'observation_capture', 'observation_verification');
  if (settled.overrun !== null) {
    const detail = { dimension: settled.overrun };
    return [raise(captured, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), NO_EFFECTS];
  }
  return [noteIfStopped(env, captured, event), [{ kind: 'verify_step', call_id: event.call_id }]];
};

/** Notes a call without a result as in doubt if the run is about to end, because then its failure is not handled. */
function noteIfStopped(env: KernelEnv, state: RunState, { outcome }: EventOf<'step_observed'>): RunState {
  if (state.ending.stops.length === 0 || outcome === 'ok' || !hasRule(state, 'tools_in_doubt')) return state;
  return state.current === null ? state : noteDoubt(env, state, specOfCall(env, state.current));
}

/** A call that was never sent had no effect and used no external API. It still counts as a try. */
const withoutEffect = (reserved: Need): Need => ({ ...reserved, side_effects: 0, external_api_calls: 0 });

function observedFrom(state: RunState, event: EventOf<'step_observed'>): ObservedState {
  const { outcome, raw, detail = '', spent, cached, unsent, refused, stored, misconfigured } = event;
  const observed = { outcome, raw, detail, spent, confirmed: [] };
  if (stored !== undefined) {
    assertStored(state, raw);
    return { ...observed, stored };
  }
  if (unsent !== undefined) return { ...observed, unsent, ...(refused === undefined ? {} : { refused }) };
  if (misconfigured !== undefined) return { ...observed, misconfigured };
  return cached === undefined ? observed : { ...observed, ageMs: cached.age_ms };
}

/** Records an answer that arrived after its timeout. The run does not change. */
export const onAnswerCameLate: Reacts<'answer_came_late'> = (_env, state, event) => {
  const sent = /^call_(\d+)(?::(?:reconcile|verify))?$/.exec(event.call_id)?.[1];
  if (sent === undefined || Number(sent) > state.counters.calls) throw impossibleEvent('an answer to no call', state);
  return [state, NO_EFFECTS];
};

function currentAt(env: KernelEnv, state: RunState, stepId: string, rung: CurrentStep['rung']): CurrentStep {
  const current = state.current;
  if (state.planning.active === null || state.planning.verdict !== 'ok') {
    throw new Fault('plan_not_verified', `step ${stepId} belongs to no plan that the Critic has verified`);
  }
  if (current === null || current.stepId !== stepId || !isAtNode(env, state, 'tool_eligibility')) {
    throw new Fault('step_not_verified', `step ${stepId} is not the one selected from the verified plan`);
  }
  if (current.rung !== rung) throw impossibleEvent(`step ${stepId} is ${current.rung}, not ${rung}`, state);
  return current;
}

export function currentOn(state: RunState, callId: string, rung: CurrentStep['rung']): CurrentStep {
  const current = state.current;
  const isUnrelated = current?.call != null && current.call.callId !== callId;
  if (current === null || isUnrelated) throw impossibleEvent(`call ${callId} is not under way`, state);
  if (current.call === null || current.rung !== rung) {
    throw new Fault('illegal_grounding_transition', `step ${current.stepId} is ${current.rung}, not ${rung}`);
  }
  return current;
}
