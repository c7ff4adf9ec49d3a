import type { EffectOf } from '../model/effect.ts';
import type { ToolCost, ToolSpec } from '../model/tool.ts';
import { type BudgetRefusal, type Need, reserve, settle } from './budget.ts';
import { raise } from './closing.ts';
import { overBy } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { land, launch } from './flight.ts';
import { impossible, type Reaction } from './reaction.ts';
import { specOfCall } from './real-tools.ts';
import { specOf } from './spec-of.ts';
import type { CallState, CurrentStep, RunState } from './state.ts';
import { toolCall } from './tool-call.ts';

type Asked = { readonly ok: true; readonly reaction: Reaction } | BudgetRefusal;
type Probe = EffectOf<'reconcile_call'> | EffectOf<'probe_step'>;

/**
 * Asks the probe that knows what became of a call. Null where the tool has none, where it was asked about this attempt
 * already, and where nothing is left to ask it with: then it stays unknown.
 */
export function askWhatHappened(env: KernelEnv, state: RunState, current: CurrentStep): Reaction | null {
  const { side_effect, idempotency, probes } = specOfCall(env, current);
  const harmless = !side_effect || idempotency.kind === 'natural';
  if (harmless || probes?.reconcile === undefined || current.call === null || current.call.reconciled) return null;
  if (state.ending.stops.length > 0) return null;
  const asked = ask(env, state, reconcileCall(current.call, current, probes.reconcile));
  return asked.ok ? asked.reaction : null;
}

/** Whether somebody declared a probe that looks at what a call did, and the run is not about to end. */
export function isLookedInto(env: KernelEnv, state: RunState, current: CurrentStep): boolean {
  const { side_effect, probes } = specOfCall(env, current);
  return side_effect && probes?.verify !== undefined && state.ending.stops.length === 0;
}

/** Has that probe look, or says why not. */
export function askWhatIsThere(env: KernelEnv, state: RunState, current: CurrentStep): Asked {
  const { probes } = specOfCall(env, current);
  if (probes?.verify === undefined) throw impossible('a look that nobody declared', state);
  return ask(env, state, probeStep(state, current, probes.verify));
}

/** The question that was under way when the process died, once more: whoever only looks may be asked again. */
export function askAgain(env: KernelEnv, state: RunState): Probe {
  const { current } = state;
  const { verify, reconcile } = specOf(env, current?.tool ?? '').probes ?? {};
  if (current?.rung === 'observed' && verify !== undefined) return probeStep(state, current, verify);
  if (current?.call != null && reconcile !== undefined) return reconcileCall(current.call, current, reconcile);
  throw impossible('a probe in flight that nobody declared', state);
}

/** Takes the answer of a probe in and charges what it cost. */
export function landProbe(env: KernelEnv, state: RunState, probe: string, spent: ToolCost): RunState {
  const landed = land(state, 'probe');
  if (landed.budget === null) throw impossible('a probe without a budget', state);
  const reserved = needOf(specOf(env, probe));
  const { budget, overrun } = settle(landed.budget, reserved, { ...reserved, ...costOf(spent) }, 'executor');
  const settled = { ...landed, budget };
  if (overrun === null) return settled;
  return raise(settled, { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun', detail: { dimension: overrun } });
}

function ask(env: KernelEnv, state: RunState, probe: Probe): Asked {
  if (state.budget === null) throw impossible('a probe without a budget', state);
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
    not_before: overBy(call),
  };
}

function probeStep(state: RunState, current: CurrentStep, probe: string): EffectOf<'probe_step'> {
  const { call, observed } = current;
  if (call === null || observed === null) throw impossible('a look at a call that was never made', state);
  return { kind: 'probe_step', call: toolCall(current, call.callId, call.key), probe, result: observed.raw };
}
