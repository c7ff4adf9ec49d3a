import { hasPlaceholder } from '../../../model/plan/plan.ts';
import { DEPTH_MAX } from '../../../model/run/lane.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { clearStep } from '../../query/call/tool-call.ts';
import { createLaneContext, depthOf, fanoutRefusal, laneRefusal } from '../../query/lane/lane-context.ts';
import { spawnLane } from '../../query/lane/open-lanes.ts';
import { canRunInParallel, nextParallelStep } from '../../query/lane/parallel-steps.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, OpenLane, RunState } from '../../state/run-state.ts';
import { NO_EFFECTS, type Reaction } from '../../transition/reaction.ts';
import { walk } from '../../transition/walk.ts';

/**
 * Gives the current step a lane if its tool is a lane, or if it is read-only and another step can run in parallel.
 * `free` means that the call needs no approval.
 */
export function assignLane(env: KernelEnv, state: RunState, spec: ToolSpec, needsNoApproval: boolean): RunState {
  const { current } = state;
  if (current === null || current.cached !== undefined) return state;
  const refused = laneRefusal(env, state, spec) ?? fanoutRefusal(env, state);
  if (refused !== null && spec.lane !== undefined) throw impossibleEvent(refused.message, state);
  const isPlain = spec.lane !== undefined || isPlainCall(state, current);
  const isFree =
    refused === null && needsNoApproval && isPlain && current.reserved === null && canRunInParallel(env, spec);
  if (spec.lane === undefined && !(isFree && hasParallelStep(env, state, current))) return state;
  const parallel = isFree ? { parallelizable: true as const } : {};
  return { ...state, current: { ...current, laneContext: createLaneContext(env, state, current, spec), ...parallel } };
}

/**
 * Whether a step lane can make the call: its plan is made of the arguments alone, so the call has no inputs, and no
 * value in its arguments looks like a form.
 */
const isPlainCall = (state: RunState, { args, inputs }: CurrentStep): boolean =>
  inputs === undefined && (!hasRule(state, 'inputs_are_values') || !hasPlaceholder(args));

export function removeLane(state: RunState): RunState {
  if (state.current === null) return state;
  const { laneContext: _, parallelizable: __, ...current } = state.current;
  return { ...state, current };
}

function hasParallelStep(env: KernelEnv, state: RunState, current: CurrentStep): boolean {
  if (env.limits.parallelSteps < 2 || depthOf(state) >= DEPTH_MAX) return false;
  return state.lanes !== undefined || nextParallelStep(env, state, [current.index]) !== null;
}

/** Opens the lane after its intent is recorded, and selects the next step that can run in parallel. */
export function launchLane(env: KernelEnv, state: RunState): Reaction {
  const { current, ending } = state;
  if (current?.laneContext === undefined) throw impossibleEvent('a lane that nobody asked for', state);
  if (ending.stops.length > 0) return [walk(env, state, 'tool_invocation'), NO_EFFECTS];
  const lane: OpenLane = { step: current, laneContext: current.laneContext, observed: null, waits: null };
  const lanes = [...(state.lanes ?? []), lane];
  const launched: RunState = { ...state, lanes, current: null };
  const next =
    current.parallelizable === true && lanes.length < env.limits.parallelSteps ? selectParallel(env, launched) : null;
  if (next === null) return [awaitLanes(env, launched), [spawnLane(lane)]];
  const [selected, effects] = next;
  return [selected, [spawnLane(lane), ...effects]];
}

function selectParallel(env: KernelEnv, state: RunState): Reaction | null {
  const taken = state.lanes?.map(({ step }) => step.index) ?? [];
  const next = nextParallelStep(env, state, taken);
  if (next === null) return null;
  return [{ ...state, current: next }, [clearStep(next)]];
}

/** Waits for the lanes, with the first one as the current step. */
function awaitLanes(env: KernelEnv, state: RunState): RunState {
  const first = state.lanes?.[0]?.step ?? null;
  return walk(env, { ...state, current: first, ending: { ...state.ending, inFlight: 'lane' } }, 'tool_invocation');
}

/**
 * Opens a lane for a step that was selected to run in parallel. If a gate, a limit or a refusal prevents that, the step
 * runs alone later.
 */
export function runInParallel(env: KernelEnv, state: RunState, runAlone: () => Reaction): Reaction {
  const reaction = runAlone();
  const [next, [effect, ...rest]] = reaction;
  const isLaunched = effect?.kind === 'attempt_step' && rest.length === 0 && next.current?.laneContext !== undefined;
  return isLaunched && next.current.parallelizable === true ? reaction : postponeStep(env, state);
}

export const postponeStep = (env: KernelEnv, state: RunState): Reaction => [
  awaitLanes(env, { ...state, current: null }),
  NO_EFFECTS,
];
