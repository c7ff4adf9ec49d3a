import { compareModes, runsInline } from '../model/approval-mode.ts';
import { BOUNDARY_GATE } from '../model/boundary.ts';
import { canonicalize } from '../model/canonical.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { isUntrusted } from '../model/origin.ts';
import type { ToolSpec } from '../model/tool.ts';
import { askUser } from './ask-user.ts';
import { assertOrigin, isGranted, noteGrant } from './assert-origin.ts';
import { type Need, reserve, settle } from './budget.ts';
import { laneNeed } from './budget-lane.ts';
import { raise } from './closing.ts';
import { askStandIn, FROM_CACHE, takeCached, unavailable } from './degrade.ts';
import { callInDoubt, doubtAbout, isAbsorbed } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun, overBudget } from './escalate-run.ts';
import { land, launch } from './flight.ts';
import { grantedUntil, missingGates, useGrants } from './grants.ts';
import { heldUntil } from './held-until.ts';
import { besideOthers, launchLane, putBack, seated, unseated } from './lanes/launch-lane.ts';
import { loopDetected } from './loop-detected.ts';
import { callsMade, type LoopGuard, type NotedCall, noteCall, notePace } from './loop-guard.ts';
import { openActionGates } from './open-gates.ts';
import { assertPermitted, decisionOn } from './policy-record.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { realTools, specOfCall, toolsBehind } from './real-tools.ts';
import { stepAtHand } from './rollback/step-at-hand.ts';
import { specOf } from './spec-of.ts';
import { assertStanding, isStanding, noteStanding } from './standing.ts';
import type { CurrentStep, ObservedState, RunState } from './state.ts';
import { assertStored } from './stored-answer.ts';
import { toolCall } from './tool-call.ts';
import { heldBack, refusedUntil } from './tripped.ts';
import { duplicateAction } from './twin.ts';
import { vecPush } from './vec.ts';
import { effectiveMode } from './verify/effective-mode.ts';
import { approvalsFor } from './verify/governing-decisions.ts';
import { standsOn, walk } from './walk.ts';

/** The gateway let the call pass. Loop guard, budget and gates still stand between it and the world. */
export const onStepCleared: Reacts<'step_cleared'> = (env, state, event) =>
  state.lanes === undefined ? cleared(env, state, event) : besideOthers(env, state, () => cleared(env, state, event));

function cleared(env: KernelEnv, state: RunState, event: EventOf<'step_cleared'>): Reaction {
  const current = currentAt(env, state, event.step_id, 'intended');
  const spec = specOf(env, current.tool);
  assertCleared(env, state, spec, event);
  assertPermitted(env, state, event);
  if (state.work.tripped !== undefined) assertCooled(state, current);
  const notBefore = heldUntil(state, current, event);
  const fresh = current.reserved === null && current.attempt === 1;
  const noted = noteDispatch(state.guard, state.now, fresh ? current : null);
  const permitted: RunState = {
    ...noteStanding(noteGrant(state, event), event),
    guard: noted.guard,
    current: { ...shownBy(state, current, event), rung: 'cleared', mode: event.mode, notBefore },
  };
  if (noted.trip !== null) return loopDetected(env, permitted, noted.trip);
  const real = specOfCall(env, current);
  const twin = noted.repeats === 0 ? null : duplicateAction(env, permitted, real, current);
  if (twin !== null) return escalateRun(env, permitted, 'workflow_issue', twin);
  const laned = spec.lane !== undefined || env.limits.parallelSteps > 1;
  const funded = reserveCall(env, laned ? seated(env, permitted, spec, isFree(event)) : permitted, real);
  if (!funded.ok) return funded.refused;
  const key = nextKey(env, funded.state, current, fresh ? noted.repeats : callsMade(noted.guard, current) - 1);
  const gates = missingGates(env, funded.state, event.gates, key);
  if (gates.length > 0) return openActionGates(env, funded.state, gates);
  return attempt(env, funded.state, real, key, event.standing?.expires_at ?? Number.POSITIVE_INFINITY);
}

/** Nobody has to give a word for it, nor has given one before. */
const isFree = ({ gates, granted, standing }: EventOf<'step_cleared'>): boolean =>
  gates.length === 0 && granted === undefined && standing === undefined;

function assertCooled(state: RunState, { tool, cached }: CurrentStep): void {
  if (cached === undefined && refusedUntil(state, tool) !== null)
    throw impossible(`${tool} is called too early`, state);
}

/** With what the policy ruled, what a person would be shown and the grant it rests on, where the gateway says so. */
function shownBy(state: RunState, current: CurrentStep, event: EventOf<'step_cleared'>): CurrentStep {
  const { preview, standing } = event;
  const policy = decisionOn(state, event);
  const ruled = policy === undefined ? current : { ...current, policy };
  const shown = preview === undefined ? ruled : { ...ruled, preview };
  return standing === undefined ? shown : { ...shown, standing: standing.grant_id };
}

/** The pace of all calls, and, for one that is not a repetition of itself, whether it was made before. */
function noteDispatch(guard: LoopGuard, now: number, call: CurrentStep | null): NotedCall {
  const { guard: paced, trip } = notePace(guard, now);
  return trip !== null || call === null
    ? { guard: paced, trip, repeats: 0 }
    : noteCall(paced, call.tool, call.argsHash);
}

/**
 * The gateway may let a call pass or refuse it, ask for more gates or a stricter mode. It cannot change the call or ask
 * for less, and a journal that says it did is not believed.
 */
export function assertCleared(env: KernelEnv, state: RunState, spec: ToolSpec, event: EventOf<'step_cleared'>): void {
  const { current } = state;
  if (current === null) throw impossible('a clearance of nothing', state);
  const same = event.args === current.args || canonicalize(event.args) === canonicalize(current.args);
  if (!same || event.args_hash !== current.argsHash) throw impossible('other arguments than the plan leads to', state);
  const step = stepAtHand(state);
  if (step === undefined) throw impossible('a step without a plan', state);
  const { needs_approval = NO_GATES } = state.manifest?.autonomy_boundary.tools ?? {};
  for (const tool of realTools(env, current)) {
    const real = specOf(env, tool);
    if (compareModes(event.mode, effectiveMode(step, real)) < 0)
      throw impossible(`${event.mode} is too weak a mode`, state);
    assertAsked(state, event, real.gates);
    assertAsked(state, event, approvalsFor(env.catalog, tool));
    if (needs_approval.includes(tool)) assertAsked(state, event, BOUNDARY_GATES);
  }
  assertAsked(state, event, step.requires ?? NO_GATES);
  assertGated(state, event);
  assertOrigin(state, current, spec, event);
  assertStanding(env, state, spec, event);
}

/** What may not run by itself has somebody to ask, or their word in advance; a clearance without either is no clearance. */
function assertGated(state: RunState, { mode, gates, granted, standing }: EventOf<'step_cleared'>): void {
  const isFree = gates.length > 0 || granted !== undefined || standing !== undefined || runsInline(mode);
  if (!isFree) throw impossible(`a ${mode} call that nobody is asked about`, state);
}

const NO_GATES: readonly string[] = Object.freeze([]);
const BOUNDARY_GATES: readonly string[] = Object.freeze([BOUNDARY_GATE]);

/** Every gate that has to be there is asked for, or stands open by a word that was given before. */
function assertAsked(state: RunState, event: EventOf<'step_cleared'>, gates: readonly string[]): void {
  const left = gates.length === 0 ? gates : gates.filter((gate) => !isAskedFor(event, gate));
  if (left.length > 0) throw impossible(`the gates ${left.join(', ')} were left out`, state);
}

const isAskedFor = (event: EventOf<'step_cleared'>, gate: string): boolean =>
  event.gates.includes(gate) || isGranted(event, gate) || isStanding(event, gate);

type Funded = { readonly ok: true; readonly state: RunState } | { readonly ok: false; readonly refused: Reaction };

/** Reserves the most the call may cost. A step that waited at a gate keeps what it had reserved. */
function reserveCall(env: KernelEnv, state: RunState, spec: ToolSpec): Funded {
  const current = state.current;
  if (current === null || state.budget === null) throw impossible('a call without a step or a budget', state);
  if (current.reserved !== null) return { ok: true, state };
  const need =
    current.seat === undefined
      ? needOf(spec, current.attempt, mayAct(env, state, current, spec))
      : laneNeed(current.seat.caps);
  const reserved = reserve(state.budget, need, 'executor');
  // What could only have been worked on beside others is called by the run itself instead.
  if (!reserved.ok && current.seat !== undefined && spec.lane === undefined)
    return reserveCall(env, unseated(state), spec);
  if (!reserved.ok) return { ok: false, refused: overBudget(env, state, reserved) };
  return { ok: true, state: { ...state, budget: reserved.budget, current: { ...current, reserved: need } } };
}

/** Whether this dispatch may change the world once more. A repetition that the tool is sure to absorb does not. */
function mayAct(env: KernelEnv, state: RunState, current: CurrentStep, spec: ToolSpec): boolean {
  if (!spec.side_effect || current.attempt === 1) return spec.side_effect;
  if (spec.idempotency.kind === 'natural') return false;
  const doubt = doubtAbout(state, current);
  return doubt === null || !isAbsorbed(spec, doubt, dispatchBefore(env, state, current));
}

/** A step of the plan costs one action cycle, however often its call is tried. */
function needOf(spec: ToolSpec, attempt: number, acts: boolean): Need {
  return {
    steps: attempt === 1 ? 1 : 0,
    tool_calls: 1,
    external_api_calls: spec.external ? 1 : 0,
    side_effects: acts ? 1 : 0,
    input_tokens: spec.cost.input_tokens,
    output_tokens: spec.cost.output_tokens,
    tool_spend_microusd: spec.cost.microusd,
  };
}

/** Writes the intent down. What may have happened already is asked for under the same key, or not without a person. */
function attempt(env: KernelEnv, state: RunState, spec: ToolSpec, key: string, standsUntil: number): Reaction {
  const current = state.current;
  if (current === null) throw impossible('an attempt without a step', state);
  // What was permitted until then is not sent then or later.
  const identified = state.intake.token?.expires_at ?? Number.POSITIVE_INFINITY;
  const permitted = Math.min(standsUntil, grantedUntil(env, state, key), identified) - 1;
  const dispatch_before = Math.min(dispatchBefore(env, state, current), permitted);
  const doubt = doubtAbout(state, current);
  if (doubt !== null && !isAbsorbed(spec, doubt, dispatch_before)) {
    // What became of it is known above, or to nobody: the lane that wanted to make it hands that back.
    if (doubt.foreign === true && state.seat !== undefined) return [raise(state, callInDoubt(current)), NOTHING];
    return escalateRun(env, state, 'call_in_doubt', callInDoubt(current));
  }
  const call = toolCall(current, `call_${state.counters.calls + 1}`, key);
  return [state, [{ kind: 'attempt_step', call, timeout_ms: spec.timeout_ms, dispatch_before }]];
}

const dispatchBefore = (env: KernelEnv, { now }: RunState, { notBefore }: CurrentStep): number =>
  Math.max(now, notBefore) + env.limits.dispatchWindowMs;

/** What may have happened already is asked for under the key it had. */
const nextKey = (env: KernelEnv, state: RunState, current: CurrentStep, group: number): string =>
  doubtAbout(state, current)?.key ?? keyOf(env, state, current, group);

/** All tries of one call share a key. The same call made once more, because somebody wants it twice, has another. */
const keyOf = (env: KernelEnv, { id }: RunState, { stepId, tool, argsHash }: CurrentStep, group: number): string =>
  env.hash(`${id.runId}\n${stepId}\n${tool}\n${argsHash}${group === 0 ? '' : `\n${group}`}`);

/** The intent is written. Only whoever wins the frame that holds it may dispatch. */
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
  if (current.seat !== undefined) return launchLane(env, attempted);
  return dispatch(env, walk(env, attempted, 'tool_invocation'), current, event);
};

function dispatch(env: KernelEnv, state: RunState, current: CurrentStep, event: EventOf<'step_attempted'>): Reaction {
  const sent: EffectOf<'call_tool'> = {
    kind: 'call_tool',
    call: toolCall(current, event.call_id, event.idempotency_key),
    mode: current.mode,
    behind: toolsBehind(env, current),
    timeout_ms: event.timeout_ms,
    not_before: current.notBefore,
    dispatch_before: event.dispatch_before,
  };
  return launch(state, 'call', current.cached === undefined ? sent : { ...sent, ...FROM_CACHE });
}

/** The gateway said no. Asking for what is missing is the only way on; a refusal is never argued with. */
export const onStepRefused: Reacts<'step_refused'> = (env, state, event) => {
  const current = currentAt(env, state, event.step_id, 'intended');
  if (state.lanes !== undefined) return putBack(env, state);
  if (event.missing.length > 0) {
    return askUser(env, state, { code: 'MISSING_INFO', fields: event.missing, readings: [] });
  }
  const detail = { step_id: event.step_id, layer: event.layer, code: event.code, message: event.message };
  if (event.layer === 'budget') {
    return escalateRun(env, state, 'budget_limit', { code: 'BUDGET_EXHAUSTED', reason: event.code, detail });
  }
  if (event.code === 'dependency_unavailable') {
    return (
      heldBack(env, state, current, detail) ?? askStandIn(env, state, current) ?? unavailable(state, current, detail)
    );
  }
  if (event.layer === 'registry' || event.layer === 'schema') {
    return escalateRun(env, state, 'validation_failed', { code: 'VALIDATION_FAIL', reason: event.code, detail });
  }
  const code = event.code === 'call_in_doubt' ? 'REVIEW_REQUIRED' : 'PERMISSION_DENIED';
  return [raise(state, { code, reason: event.code, detail }), NOTHING];
};

/** A result of an untrusted tool, or one made of untrusted things, may be read by whoever plans next. */
export function exposedBy(env: KernelEnv, { planning }: RunState, current: CurrentStep): RunState['planning'] {
  if (planning.exposed || (specOfCall(env, current).trusted && !isUntrusted(current.origin))) return planning;
  return { ...planning, exposed: true };
}

/** Whatever came back is kept as it came and charged as measured; nothing is concluded from it yet. */
export const onStepObserved: Reacts<'step_observed'> = (env, state, event) => {
  const sent = currentOn(state, event.call_id, 'attempted');
  if (event.unsent !== undefined && event.outcome === 'ok') throw impossible('an answer to a call never sent', state);
  const current = sent.cached === event.cached ? sent : takeCached(env, state, sent, event);
  const landed = land(state, 'call');
  if (landed.budget === null || current.reserved === null) throw impossible('an observation without a budget', state);
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
    planning: exposedBy(env, landed, current),
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
    return [raise(captured, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail }), NOTHING];
  }
  return [captured, [{ kind: 'verify_step', call_id: event.call_id }]];
};

/** A call that was never sent has changed nothing and reached nobody. It was tried all the same. */
const withoutEffect = (reserved: Need): Need => ({ ...reserved, side_effects: 0, external_api_calls: 0 });

function observedFrom(state: RunState, event: EventOf<'step_observed'>): ObservedState {
  const { outcome, raw, detail = '', spent, cached, unsent, stored, misconfigured } = event;
  const observed = { outcome, raw, detail, spent, confirmed: [] };
  if (stored !== undefined) {
    assertStored(state, raw);
    return { ...observed, stored };
  }
  if (unsent !== undefined) return { ...observed, unsent };
  if (misconfigured !== undefined) return { ...observed, misconfigured };
  return cached === undefined ? observed : { ...observed, ageMs: cached.age_ms };
}

/** It was sent, its time was up, and the run has drawn its conclusion from that. What comes now changes nothing. */
export const onAnswerCameLate: Reacts<'answer_came_late'> = (_env, state, event) => {
  const sent = /^call_(\d+)(?::(?:reconcile|verify))?$/.exec(event.call_id)?.[1];
  if (sent === undefined || Number(sent) > state.counters.calls) throw impossible('an answer to no call', state);
  return [state, NOTHING];
};

function currentAt(env: KernelEnv, state: RunState, stepId: string, rung: CurrentStep['rung']): CurrentStep {
  const current = state.current;
  if (state.planning.active === null || state.planning.verdict !== 'ok') {
    throw new Fault('plan_not_verified', `step ${stepId} belongs to no plan that the Critic has verified`);
  }
  if (current === null || current.stepId !== stepId || !standsOn(env, state, 'tool_eligibility')) {
    throw new Fault('step_not_verified', `step ${stepId} is not the one selected from the verified plan`);
  }
  if (current.rung !== rung) throw impossible(`step ${stepId} is ${current.rung}, not ${rung}`, state);
  return current;
}

export function currentOn(state: RunState, callId: string, rung: CurrentStep['rung']): CurrentStep {
  const current = state.current;
  const unrelated = current?.call != null && current.call.callId !== callId;
  if (current === null || unrelated) throw impossible(`call ${callId} is not under way`, state);
  if (current.call === null || current.rung !== rung) {
    throw new Fault('illegal_grounding_transition', `step ${current.stepId} is ${current.rung}, not ${rung}`);
  }
  return current;
}
