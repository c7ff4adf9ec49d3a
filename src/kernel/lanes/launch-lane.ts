import type { Effect } from '../../model/effect.ts';
import { DEPTH_MAX } from '../../model/run-context.ts';
import type { ToolSpec } from '../../model/tool.ts';
import type { KernelEnv } from '../env.ts';
import { impossible, NOTHING, type Reaction } from '../reaction.ts';
import type { CurrentStep, OpenLane, RunState } from '../state.ts';
import { walk } from '../walk.ts';
import { canRunBeside, nextBeside } from './beside.ts';
import { depthOf, fanoutRefusal, laneRefusal, seatFor } from './lane-seat.ts';
import { spawnLane } from './open-lane.ts';

/**
 * Gives the step at hand its lane, if it is worked on in one: because its tool is a lane, or because it only reads and
 * there is something else to do beside it. `free` says that nobody had to give a word for it.
 */
export function seated(env: KernelEnv, state: RunState, spec: ToolSpec, free: boolean): RunState {
  const { current } = state;
  if (current === null || current.cached !== undefined) return state;
  const refused = laneRefusal(env, state, spec) ?? fanoutRefusal(env, state);
  if (refused !== null && spec.lane !== undefined) throw impossible(refused.message, state);
  const isFree = refused === null && free && current.reserved === null && canRunBeside(env, spec);
  if (spec.lane === undefined && !(isFree && hasCompany(env, state, current))) return state;
  const beside = isFree ? { beside: true as const } : {};
  return { ...state, current: { ...current, seat: seatFor(env, state, current, spec), ...beside } };
}

export function unseated(state: RunState): RunState {
  if (state.current === null) return state;
  const { seat: _, beside: __, ...current } = state.current;
  return { ...state, current };
}

/** Whether a step that any run could make itself has others to be worked on beside. */
function hasCompany(env: KernelEnv, state: RunState, current: CurrentStep): boolean {
  if (env.limits.parallelSteps < 2 || depthOf(state) >= DEPTH_MAX) return false;
  return state.lanes !== undefined || nextBeside(env, state, [current.index]) !== null;
}

/** The intent is written and the lane goes out; with it whatever else can be worked on at the same time. */
export function launchLane(env: KernelEnv, state: RunState): Reaction {
  const { current, ending } = state;
  if (current?.seat === undefined) throw impossible('a lane that nobody asked for', state);
  if (ending.stops.length > 0) return [walk(env, state, 'tool_invocation'), NOTHING];
  const lane: OpenLane = { step: current, seat: current.seat, observed: null, waits: null };
  const lanes = [...(state.lanes ?? []), lane];
  const launched: RunState = { ...state, lanes, current: null };
  const next = current.beside === true && lanes.length < env.limits.parallelSteps ? besides(env, launched) : null;
  if (next === null) return [departed(env, launched), [spawnLane(lane)]];
  const [selected, effects] = next;
  return [selected, [spawnLane(lane), ...effects]];
}

/** Selects one more step to be worked on beside those that are, from where they were selected. */
function besides(env: KernelEnv, state: RunState): Reaction | null {
  const taken = state.lanes?.map(({ step }) => step.index) ?? [];
  const next = nextBeside(env, state, taken);
  if (next === null) return null;
  const { stepId: step_id, tool, args, argsHash: args_hash, attempt, origin } = next;
  const cleared: Effect = { kind: 'clear_step', step_id, tool, args, args_hash, attempt, origin };
  return [{ ...state, current: next }, [cleared]];
}

/** Nothing else is selected: the run waits for its lanes, the first of them at hand. */
function departed(env: KernelEnv, state: RunState): RunState {
  const first = state.lanes?.[0]?.step ?? null;
  return walk(env, { ...state, current: first, ending: { ...state.ending, inFlight: 'lane' } }, 'tool_invocation');
}

/**
 * What was selected to be worked on beside others goes out with them, or has its turn alone, later: whatever stands in
 * its way then, a gate, a limit, a refusal, is no business of theirs.
 */
export function besideOthers(env: KernelEnv, state: RunState, alone: () => Reaction): Reaction {
  const reaction = alone();
  const [next, [effect, ...rest]] = reaction;
  const goesOut = effect?.kind === 'attempt_step' && rest.length === 0 && next.current?.seat !== undefined;
  return goesOut && next.current.beside === true ? reaction : putBack(env, state);
}

export const putBack = (env: KernelEnv, state: RunState): Reaction => [
  departed(env, { ...state, current: null }),
  NOTHING,
];
