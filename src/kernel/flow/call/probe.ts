import type { EffectOf } from '../../../model/events/effect.ts';
import type { CallSpent, ToolCost, ToolSpec } from '../../../model/tool/tool.ts';
import { type BudgetRefusal, type Need, reserve, settle } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { settledBy } from '../../query/call/doubt.ts';
import { toolCall } from '../../query/call/tool-call.ts';
import { specOf, specOfCall } from '../../query/plan/tools.ts';
import type { CallState } from '../../state/call-state.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { meterGpu } from '../../state/meters.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { land, launch, type Reaction, raise } from '../../transition/reaction.ts';

type ProbeRequest = { readonly ok: true; readonly reaction: Reaction } | BudgetRefusal;
type Probe = EffectOf<'reconcile_call'> | EffectOf<'probe_step'>;

/**
 * Calls the reconcile probe of a call in doubt. Null if the tool has none, this attempt was already reconciled, or the
 * budget does not allow it; then the outcome stays unknown.
 */
export function reconcileIfPossible(env: KernelEnv, state: RunState, current: CurrentStep): Reaction | null {
  const { side_effect, idempotency, probes } = specOfCall(env, current);
  const isHarmless = !side_effect || idempotency.kind === 'natural';
  if (isHarmless || probes?.reconcile === undefined || current.call === null || current.call.reconciled) return null;
  if (state.ending.stops.length > 0) return null;
  const request = requestProbe(env, state, reconcileCall(current.call, current, probes.reconcile));
  return request.ok ? request.reaction : null;
}

/** Whether a verify probe is declared for the call and the run is not about to end. */
export function hasVerifyProbe(env: KernelEnv, state: RunState, current: CurrentStep): boolean {
  const { side_effect, probes } = specOfCall(env, current);
  return side_effect && probes?.verify !== undefined && state.ending.stops.length === 0;
}

/** Calls the verify probe, or returns the budget refusal. */
export function requestVerifyProbe(env: KernelEnv, state: RunState, current: CurrentStep): ProbeRequest {
  const { probes } = specOfCall(env, current);
  if (probes?.verify === undefined) throw impossibleEvent('a look that nobody declared', state);
  return requestProbe(env, state, probeStep(state, current, probes.verify));
}

/** The probe that was in flight when the process died. Probes are read-only, so they can be repeated. */
export function repeatProbe(env: KernelEnv, state: RunState): Probe {
  const { current } = state;
  const { verify, reconcile } = specOf(env, current?.tool ?? '').probes ?? {};
  if (current?.rung === 'observed' && verify !== undefined) return probeStep(state, current, verify);
  if (current?.call != null && reconcile !== undefined) return reconcileCall(current.call, current, reconcile);
  throw impossibleEvent('a probe in flight that nobody declared', state);
}

/** Accepts the answer of a probe and charges its cost. */
export function landProbe(env: KernelEnv, state: RunState, probe: string, spent: CallSpent): RunState {
  const landed = meterGpu(land(state, 'probe'), spent);
  if (landed.budget === null) throw impossibleEvent('a probe without a budget', state);
  const reserved = needOf(specOf(env, probe));
  const { budget, overrun } = settle(landed.budget, reserved, { ...reserved, ...costOf(spent) }, 'executor');
  const settled = { ...landed, budget };
  if (overrun === null) return settled;
  return raise(settled, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail: { dimension: overrun } });
}

function requestProbe(env: KernelEnv, state: RunState, probe: Probe): ProbeRequest {
  if (state.budget === null) throw impossibleEvent('a probe without a budget', state);
  const reserved = reserve(state.budget, needOf(specOf(env, probe.probe)), 'executor');
  if (!reserved.ok) return reserved;
  return { ok: true, reaction: launch({ ...state, budget: reserved.budget }, 'probe', probe) };
}

function needOf(spec: ToolSpec): Need {
  return { tool_calls: 1, external_api_calls: spec.external ? 1 : 0, ...costOf(spec.cost) };
}

const costOf = ({ input_tokens, output_tokens, microusd }: ToolCost): Need => ({
  input_tokens,
  output_tokens,
  tool_spend_microusd: microusd,
});

function reconcileCall(call: CallState, current: CurrentStep, probe: string): EffectOf<'reconcile_call'> {
  return {
    kind: 'reconcile_call',
    call: toolCall(current, call.callId, call.key),
    probe,
    not_before: settledBy(call),
  };
}

function probeStep(state: RunState, current: CurrentStep, probe: string): EffectOf<'probe_step'> {
  const { call, observed } = current;
  if (call === null || observed === null) throw impossibleEvent('a look at a call that was never made', state);
  return { kind: 'probe_step', call: toolCall(current, call.callId, call.key), probe, result: observed.raw };
}
