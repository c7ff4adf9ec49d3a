import type { Degradation } from '../model/degradation.ts';
import type { PlanReason } from '../model/effect.ts';
import type { EventOf } from '../model/event.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isUntrusted } from '../model/origin.ts';
import { STAND_INS, type ToolSpec } from '../model/tool.ts';
import { renderVerdict } from './checkpointing.ts';
import { raise } from './closing.ts';
import type { Decision, FailureKind } from './decide.ts';
import type { KernelEnv } from './env.ts';
import { nextEquivalent, onlyReads } from './equivalent.ts';
import { impossible, type Reaction } from './reaction.ts';
import { specOfCall } from './real-tools.ts';
import { specOf } from './spec-of.ts';
import type { CurrentStep, RunState } from './state.ts';
import { canWalk, walk } from './walk.ts';

/** Marks a call that is answered from what was kept. */
export const FROM_CACHE: { readonly cached: true } = Object.freeze({ cached: true });

/**
 * Puts the same question to what was declared to stand in for the tool, which is not there: the next equivalent, or its
 * own last good answer, in the order in which the tool declares them. Null where nothing is left.
 */
export function askStandIn(env: KernelEnv, state: RunState, current: CurrentStep): Reaction | null {
  const next = standIn(env, state, current);
  if (next === null) return null;
  const { stepId: step_id, tool, args, argsHash: args_hash, attempt, origin } = next;
  const call = { step_id, tool, args, args_hash, attempt, origin };
  const asked = next.cached === undefined ? call : { ...call, ...FROM_CACHE };
  return [{ ...state, current: next }, [{ kind: 'clear_step', ...asked }]];
}

function standIn(env: KernelEnv, state: RunState, current: CurrentStep): CurrentStep | null {
  const step = state.planning.active?.plan.steps[current.index];
  if (step === undefined) throw impossible('a step without a plan', state);
  const planned = specOf(env, step.tool);
  if (!onlyReads(planned) || (step.approval_mode ?? 'read_only') !== 'read_only') return null;
  const { order = STAND_INS, cached_for_ms } = planned.degraded ?? {};
  const at = current.cached === true ? 'cached' : current.tool === step.tool ? null : 'equivalent';
  const { cached: _, ...plain } = current;
  const afresh: CurrentStep = { ...plain, tool: step.tool, rung: 'intended', call: null, observed: null };
  for (const way of at === null ? order : order.slice(order.indexOf(at))) {
    const tool = way === 'equivalent' ? nextEquivalent(env, planned, current) : null;
    if (tool !== null) return { ...afresh, tool };
    if (way === 'cached' && at !== 'cached' && cached_for_ms !== undefined) return { ...afresh, ...FROM_CACHE };
  }
  return null;
}

/** Nothing stands in for it: the run ends, and whoever looks after such things hears which tool it was. */
export function unavailable(state: RunState, { index, tool }: CurrentStep, about: JsonObject): Reaction {
  const dependency = state.planning.active?.plan.steps[index]?.tool ?? tool;
  const stop = { code: 'UNAVAILABLE_DEP', reason: 'dependency_unavailable', detail: { ...about, dependency } } as const;
  return [raise(state, stop), [{ kind: 'escalate_run', trigger: 'provider_outage', stop, refs: [] }]];
}

interface Failure {
  readonly failure: FailureKind;
  readonly decision: Decision;
  readonly reason: PlanReason;
}

/**
 * A tool that failed as often as it may and for which something stands in is taken to be down. Null where the tool
 * declares nothing of the kind: then it is the plan that has to change.
 */
export function switchAfter(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  { failure, decision, reason }: Failure,
): Reaction | null {
  if ((failure !== 'error' && failure !== 'timeout') || decision.reason.code === 'budget_exhausted') return null;
  const step = state.planning.active?.plan.steps[current.index];
  const planned = step === undefined ? undefined : env.tools.get(step.tool);
  if (planned?.equivalents === undefined && planned?.degraded === undefined) return null;
  if (canWalk(env, state, 'repair') && standIn(env, state, current) !== null) return switched(env, state, current);
  if (planned.degraded === undefined || step?.optional === true) return null;
  return unavailable(state, current, { step_id: current.stepId, message: reason.message });
}

function switched(env: KernelEnv, state: RunState, current: CurrentStep): Reaction | null {
  const [judged, checkpoint] = renderVerdict(env, state, 'retry', current.stepId);
  const back = walk(env, judged, 'repair', 'plan', 'plan_validation', 'action_selection', 'tool_eligibility');
  const asked = askStandIn(env, back, { ...current, reserved: null });
  return asked === null ? null : [asked[0], [...checkpoint, ...asked[1]]];
}

/** What was kept is believed as far as it was when it came, and only where the run has asked for it. */
export function takeCached(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  { cached, outcome }: EventOf<'step_observed'>,
): CurrentStep {
  if (cached === undefined) {
    if (outcome === 'ok') throw impossible('an answer of a tool that was not asked', state);
    return current;
  }
  const { cached_for_ms = -1 } = specOf(env, current.tool).degraded ?? {};
  if (current.cached === undefined) throw impossible('an old answer that nobody asked for', state);
  if (cached.age_ms > cached_for_ms) throw impossible(`an answer that is ${cached.age_ms} ms old`, state);
  if (cached.trusted) return current;
  return { ...current, origin: { ...current.origin, untrusted: { ...current.origin.untrusted, '': current.tool } } };
}

/** For how long a good answer of the call at hand may be given again, whether it is trusted, and what is a good one. */
interface Keeping {
  readonly forMs: number;
  readonly trusted: boolean;
  readonly fits: (raw: Json) => boolean;
}

/** How what the call at hand brings back is kept; undefined where it is not. */
export function keptFor(env: KernelEnv, { current }: RunState, tool: string): Keeping | undefined {
  const spec: ToolSpec | undefined = env.tools.get(tool);
  const forMs = spec?.degraded?.cached_for_ms;
  if (spec === undefined || forMs === undefined || current === null || !onlyReads(spec)) return undefined;
  const trusted = specOfCall(env, current).trusted && !isUntrusted(current.origin);
  return { forMs, trusted, fits: (raw) => env.tools.checkOutput(tool, raw).length === 0 };
}

/** Whoever reads how the run went reads what stood in for what. */
export function noteDegraded(state: RunState, { index, stepId, tool, cached, observed }: CurrentStep): RunState {
  const planned = state.planning.active?.plan.steps[index]?.tool;
  if (planned === undefined || (tool === planned && cached === undefined)) return state;
  const { ageMs } = observed ?? {};
  const about = {
    step_id: stepId,
    tool: planned,
    by: cached === undefined ? 'equivalent' : 'cached',
    source: tool,
  } as const;
  const entry: Degradation = ageMs === undefined ? about : { ...about, age_ms: ageMs };
  return { ...state, work: { ...state.work, degraded: [...(state.work.degraded ?? []), entry] } };
}
