import type { CallName, EffectOf } from '../../../model/events/effect.ts';
import type { EventBody } from '../../../model/events/event.ts';
import type { Stop } from '../../../model/fault/terminal-code.ts';
import type { SentCall } from '../../../model/gate/call-in-doubt.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { CallState } from '../../state/call-state.ts';
import { callKey, type Doubt, toolOfKey } from '../../state/call-state.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, RunState, Work } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { effectTool, specOfCall } from '../plan/tools.ts';

/** The initial value: no call is in doubt. Most runs keep it, so lookups compare with this object first. */
export const NO_DOUBTS: Readonly<Record<string, Doubt>> = Object.freeze({});

/** The stop that asks a person to find out whether a call had its effect. */
export function callInDoubt({ stepId, tool, argsHash, call }: CurrentStep): Stop {
  const detail = { step_id: stepId, tool, args_hash: argsHash };
  const sent = call === null ? {} : { call_id: call.callId, idempotency_key: call.key, settled_by: settledBy(call) };
  return { code: 'REVIEW_REQUIRED', reason: 'call_in_doubt', detail: { ...detail, ...sent } };
}

/** The instant after which a call can no longer be in flight. Its outcome cannot be determined or decided earlier. */
export const settledBy = ({ dispatchBefore, timeoutMs }: CallState): number => dispatchBefore + timeoutMs;

function findDoubt({ work }: RunState, tool: string, argsHash: string): Doubt | null {
  if (work.doubts === NO_DOUBTS) return null;
  const name = callKey(tool, argsHash);
  return Object.hasOwn(work.doubts, name) ? (work.doubts[name] ?? null) : null;
}

export function openDoubt(state: RunState, { tool, argsHash }: CurrentStep): Doubt | null {
  const doubt = findDoubt(state, tool, argsHash);
  return doubt?.decided === true ? null : doubt;
}

/** The end of the first call's time: a person approved a repeat while that call could still be in flight. */
export function inFlightUntil(state: RunState, { tool, argsHash }: CurrentStep): number {
  const { doubts } = state.work;
  if (doubts === NO_DOUBTS) return 0;
  const byTool = hasRule(state, 'tools_in_doubt');
  let until = 0;
  for (const [name, doubt] of Object.entries(doubts)) {
    const isSame = byTool ? (doubt.tool ?? toolOfKey(name)) === tool : name === callKey(tool, argsHash);
    if (isSame && doubt.decided) until = Math.max(until, doubt.until);
  }
  return until;
}

/**
 * Records that a failed call may have had its effect, even if the tool reports that it had none. A call that was never
 * sent adds no doubt and clears none of an earlier dispatch.
 */
export function noteDoubt(env: KernelEnv, state: RunState, spec: ToolSpec): RunState {
  const { current } = state;
  const isHarmless = !spec.side_effect || spec.idempotency.kind === 'natural';
  if (isHarmless || current?.call == null) return state;
  if (isRefusedUnderItsKey(state, current, spec)) return settleDoubt(state, current.tool, current.argsHash);
  if (current.observed?.unsent === true) return state;
  const until = settledBy(current.call);
  const since = current.call.dispatchBefore - env.limits.dispatchWindowMs;
  const known = openDoubt(state, current) ?? { key: current.call.key, since, decided: false };
  const shown = hasRule(state, 'tools_in_doubt') ? { ...doubtedTool(env, current), sent: sentCall(current) } : {};
  return setDoubt(state, current, { ...known, ...shown, until });
}

/**
 * Whether the tool refused a call that was sent again under the key of the dispatch in doubt. A tool that still knows the
 * key answers for both dispatches, so neither of them had an effect.
 */
function isRefusedUnderItsKey(state: RunState, current: CurrentStep, spec: ToolSpec): boolean {
  const { call, observed } = current;
  const doubt = openDoubt(state, current);
  if (call === null || observed?.refused !== true || doubt === null || doubt.key !== call.key) return false;
  return spec.idempotency.kind === 'key' && isAbsorbed(spec, doubt, call.dispatchBefore);
}

/** The tool that has the effect of a call through a dispatcher; no field for a direct call. */
function doubtedTool(env: KernelEnv, call: CurrentStep): Pick<Doubt, 'tool'> {
  const tool = effectTool(env, call);
  return tool === call.tool ? {} : { tool };
}

const sentCall = ({ call, stepId, args }: CurrentStep): SentCall => ({
  call_id: call?.callId ?? '',
  step_id: stepId,
  parameters: args,
});

function setDoubt(state: RunState, { tool, argsHash }: Pick<CurrentStep, 'tool' | 'argsHash'>, doubt: Doubt): RunState {
  const doubts = { ...state.work.doubts, [callKey(tool, argsHash)]: doubt };
  return { ...state, work: { ...state.work, doubts } };
}

/** Whether a dispatch before `dispatchBefore` has no second effect: the tool still knows the key of the first. */
export function isAbsorbed(spec: ToolSpec, doubt: Doubt, dispatchBefore: number): boolean {
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return true;
  if (doubt.foreign === true) return false;
  return spec.idempotency.kind === 'key' && dispatchBefore < doubt.since + spec.idempotency.retention_ms;
}

/** Whether the call certainly had no effect: neither this dispatch nor an earlier one reached the tool. */
export const isNeverSent = (state: RunState, current: CurrentStep): boolean =>
  current.observed?.unsent === true && openDoubt(state, current) === null;

/** Removes a doubt after the call succeeded or was found never to have happened. */
export function settleDoubt(state: RunState, tool: string, argsHash: string): RunState {
  if (findDoubt(state, tool, argsHash) === null) return state;
  const { [callKey(tool, argsHash)]: _, ...doubts } = state.work.doubts;
  return { ...state, work: { ...state.work, doubts } };
}

/** Applies a person's decision to continue to the call in doubt that they were shown, and to no other. */
export function applyDoubtDecision(before: RunState, detail: JsonObject): RunState {
  const { tool, args_hash } = detail;
  if (typeof tool !== 'string' || typeof args_hash !== 'string') return before;
  const state = removeGrants(before, args_hash);
  const doubt = findDoubt(state, tool, args_hash);
  if (doubt === null || state.now >= doubt.until) return settleDoubt(state, tool, args_hash);
  return setDoubt(state, { tool, argsHash: args_hash }, { ...doubt, decided: true });
}

/** Removes the grants of a call that may have been made: an approval covers one call, so a repeat needs a new one. */
function removeGrants(state: RunState, argsHash: string): RunState {
  const grants = state.people.grants.filter((grant) => grant.argsHash !== argsHash);
  return grants.length === state.people.grants.length ? state : { ...state, people: { ...state.people, grants } };
}

/** Whether a run has sent this call and does not know its outcome yet, or has another call of its tool in doubt. */
export function hasUnsettledCall({ work, current }: RunState, { tool, args_hash, effect_tool }: CallName): boolean {
  const isDoubted = Object.entries(work.doubts).some(
    ([name, doubt]) => !doubt.decided && (doubt.tool ?? toolOfKey(name)) === effect_tool,
  );
  if (isDoubted) return true;
  const isOut = current?.rung === 'attempted' && current.call !== null && current.laneContext === undefined;
  return isOut && current.tool === tool && current.argsHash === args_hash;
}

/**
 * Refuses a call while another run of the same family (parent, child or sibling) has an equal call under way, or a call
 * of the same tool in doubt. Returns null if there is none, or if the call can safely be repeated.
 */
export function refuseIfUnsettled(
  env: KernelEnv,
  effect: EffectOf<'clear_step'>,
  findOtherRun: (call: CallName) => string | null,
): EventBody | null {
  const { step_id, tool, args_hash } = effect;
  if (env.tools.get(tool) === undefined) return null;
  const spec = specOfCall(env, effect);
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return null;
  const otherRun = findOtherRun({ tool, args_hash, effect_tool: effectTool(env, effect) });
  if (otherRun === null) return null;
  const message = `${otherRun} makes this call, and nobody knows yet what comes of it`;
  return { type: 'step_refused', step_id, layer: 'risk', code: 'call_in_doubt', message, missing: [] };
}

export const NO_APPROVED_REPEATS: Work['approvedRepeats'] = Object.freeze({});

/**
 * Stops the run for review if an equal call had its effect within the duplicate window, under any step or plan. Call it
 * only for calls that the run has made before.
 */
export function findDuplicate(env: KernelEnv, state: RunState, spec: ToolSpec, current: CurrentStep): Stop | null {
  if (!spec.side_effect || spec.idempotency.kind === 'natural') return null;
  const { stepId, tool, argsHash } = current;
  const doneAt = findLastDone(state, current, state.now - env.limits.duplicateWindowMs);
  if (doneAt === null) return null;
  const until = doneAt + env.limits.duplicateWindowMs;
  if (repeatAllowedFrom(state, current) === until) return null;
  const detail = { step_id: stepId, tool, args_hash: argsHash, again_from: until };
  return { code: 'REVIEW_REQUIRED', reason: 'duplicate_action', detail };
}

/** The time of the last equal call with an effect, or null if there was none after `since`. */
function findLastDone({ work }: RunState, { tool, argsHash }: CurrentStep, since: number): number | null {
  for (let place = work.effects.size - 1; place >= 0; place -= 1) {
    const made = vecGet(work.effects, place);
    if (made === undefined || made.doneAt <= since) return null;
    if (made.tool === tool && made.argsHash === argsHash) return made.doneAt;
  }
  return null;
}

/** The earliest start of an approved repeat: the end of the duplicate window. */
export function repeatAllowedFrom({ work }: RunState, { tool, argsHash }: CurrentStep): number {
  if (work.approvedRepeats === NO_APPROVED_REPEATS) return 0;
  const name = callKey(tool, argsHash);
  return Object.hasOwn(work.approvedRepeats, name) ? (work.approvedRepeats[name] ?? 0) : 0;
}

/** Approves a repeat of the call that the person was shown, and of no other. */
export function approveRepeat(state: RunState, { tool, args_hash, again_from }: JsonObject): RunState {
  if (typeof tool !== 'string' || typeof args_hash !== 'string' || typeof again_from !== 'number') return state;
  const again = { ...state.work.approvedRepeats, [callKey(tool, args_hash)]: again_from };
  return { ...state, work: { ...state.work, approvedRepeats: again } };
}
