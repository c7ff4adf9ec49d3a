import type { PlanReason } from '../../../model/events/effect.ts';
import type { EventOf } from '../../../model/events/event.ts';
import { isUntrusted } from '../../../model/evidence/origin.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { Degradation } from '../../../model/tool/degradation.ts';
import { takesInputs } from '../../../model/tool/step-input.ts';
import { STAND_INS, type ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { FailureDecision, FailureKind } from '../../query/call/decide-failure.ts';
import { clearStep } from '../../query/call/tool-call.ts';
import { stepsToSkip } from '../../query/plan/secondary.ts';
import { specOf, specOfCall } from '../../query/plan/tools.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { renderVerdict } from '../../transition/checkpoint.ts';
import { type Reaction, raise } from '../../transition/reaction.ts';
import { canWalk, walk } from '../../transition/walk.ts';

/** The next declared equivalent of the tool that is read-only, allowed in this run, and accepts the same arguments. */
function nextEquivalent(env: KernelEnv, planned: ToolSpec, current: CurrentStep): string | null {
  const declared = [planned.name, ...(planned.equivalents ?? [])];
  const from = current.cached === true ? 1 : declared.indexOf(current.tool) + 1;
  return declared.slice(from).find((tool) => canReplace(env, tool, current)) ?? null;
}

function canReplace({ tools }: KernelEnv, tool: string, { args, inputs }: CurrentStep): boolean {
  const spec = tools.get(tool);
  const reads = spec?.active === true && isReadOnly(spec) && (inputs === undefined || takesInputs(spec));
  return reads && tools.isAllowed(tool) && tools.checkArguments(tool, args).length === 0;
}

const isReadOnly = ({ side_effect, approval_mode }: ToolSpec): boolean => !side_effect && approval_mode === 'read_only';

/** Marks a call that is answered from the cache. */
const FROM_CACHE: { readonly cached: true } = Object.freeze({ cached: true });

/**
 * Sends the same call to a replacement of an unavailable tool: the next equivalent or the cached answer, in the order
 * that the tool declares. Null if none is left.
 */
export function callReplacement(env: KernelEnv, state: RunState, current: CurrentStep): Reaction | null {
  const next = findReplacement(env, state, current);
  if (next === null) return null;
  return [{ ...state, current: next }, [clearStep(next)]];
}

function findReplacement(env: KernelEnv, state: RunState, current: CurrentStep): CurrentStep | null {
  const step = state.planning.active?.plan.steps[current.index];
  if (step === undefined) throw impossibleEvent('a step without a plan', state);
  const planned = specOf(env, step.tool);
  if (!isReadOnly(planned) || (step.approval_mode ?? 'read_only') !== 'read_only') return null;
  const { order = STAND_INS, cached_for_ms } = planned.degraded ?? {};
  const at = current.cached === true ? 'cached' : current.tool === step.tool ? null : 'equivalent';
  const { cached: _, ...plain } = current;
  const restarted: CurrentStep = { ...plain, tool: step.tool, rung: 'intended', call: null, observed: null };
  for (const kind of at === null ? order : order.slice(order.indexOf(at))) {
    const tool = kind === 'equivalent' ? nextEquivalent(env, planned, current) : null;
    if (tool !== null) return { ...restarted, tool };
    if (kind === 'cached' && at !== 'cached' && cached_for_ms !== undefined) return { ...restarted, ...FROM_CACHE };
  }
  return null;
}

/** Ends the run when no replacement is left, and reports the tool as a provider outage. */
export function endUnavailable(state: RunState, { index, tool }: CurrentStep, about: JsonObject): Reaction {
  const dependency = state.planning.active?.plan.steps[index]?.tool ?? tool;
  const stop = { code: 'UNAVAILABLE_DEP', reason: 'dependency_unavailable', detail: { ...about, dependency } } as const;
  return [raise(state, stop), [{ kind: 'escalate_run', trigger: 'provider_outage', stop, refs: [] }]];
}

interface Failure {
  readonly failure: FailureKind;
  readonly decision: FailureDecision;
  readonly reason: PlanReason;
}

/**
 * Treats a tool without retries left as down if it declares a replacement. Null if not; then the plan has to change.
 */
export function switchAfterFailure(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  { failure, decision, reason }: Failure,
): Reaction | null {
  if ((failure !== 'error' && failure !== 'timeout') || decision.reason.code === 'budget_exhausted') return null;
  const step = state.planning.active?.plan.steps[current.index];
  const planned = step === undefined ? undefined : env.tools.get(step.tool);
  if (planned?.equivalents === undefined && planned?.degraded === undefined) return null;
  if (canWalk(env, state, 'repair') && findReplacement(env, state, current) !== null)
    return switchTool(env, state, current);
  if (planned.degraded === undefined || stepsToSkip(env, state, current) !== null) return null;
  return endUnavailable(state, current, { step_id: current.stepId, message: reason.message });
}

function switchTool(env: KernelEnv, state: RunState, current: CurrentStep): Reaction | null {
  const [judged, checkpoint] = renderVerdict(env, state, 'retry', current.stepId);
  const back = walk(env, judged, 'repair', 'plan', 'plan_validation', 'action_selection', 'tool_eligibility');
  const reaction = callReplacement(env, back, { ...current, reserved: null });
  return reaction === null ? null : [reaction[0], [...checkpoint, ...reaction[1]]];
}

/** Accepts a cached answer only if the run asked for one and it is fresh enough. It keeps the trust it had then. */
export function takeCached(
  env: KernelEnv,
  state: RunState,
  current: CurrentStep,
  { cached, outcome }: EventOf<'step_observed'>,
): CurrentStep {
  if (cached === undefined) {
    if (outcome === 'ok') throw impossibleEvent('an answer of a tool that was not asked', state);
    return current;
  }
  const { cached_for_ms = -1 } = specOf(env, current.tool).degraded ?? {};
  if (current.cached === undefined) throw impossibleEvent('an old answer that nobody asked for', state);
  if (cached.age_ms > cached_for_ms) throw impossibleEvent(`an answer that is ${cached.age_ms} ms old`, state);
  if (cached.trusted) return current;
  return { ...current, origin: { ...current.origin, untrusted: { ...current.origin.untrusted, '': current.tool } } };
}

/** The rules for caching an answer of the current call. */
interface CacheRule {
  readonly forMs: number;
  readonly trusted: boolean;
  readonly fits: (raw: Json) => boolean;
}

/** The caching rules of the current call; undefined if its answers are not cached. */
export function cacheRuleFor(env: KernelEnv, { current }: RunState, tool: string): CacheRule | undefined {
  const spec: ToolSpec | undefined = env.tools.get(tool);
  const forMs = spec?.degraded?.cached_for_ms;
  if (spec === undefined || forMs === undefined || current === null || !isReadOnly(spec)) return undefined;
  const trusted = specOfCall(env, current).trusted && !isUntrusted(current.origin);
  return { forMs, trusted, fits: (raw) => env.tools.checkOutput(tool, raw).length === 0 };
}

/** Records which replacement answered for which tool. */
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
