import type { BudgetCaps } from '../../model/budget.ts';
import { MICROUSD_PER_USD } from '../../model/budget.ts';
import type { LaneDoubt, LaneSeat } from '../../model/lane.ts';
import { isUntrusted } from '../../model/origin.ts';
import { DEPTH_MAX } from '../../model/run-context.ts';
import { addCost, type ToolSpec } from '../../model/tool.ts';
import { laneCaps } from '../budget-lane.ts';
import { elapsedMs } from '../checkpointing.ts';
import type { KernelEnv } from '../env.ts';
import { impossible } from '../reaction.ts';
import type { CurrentStep, RunState } from '../state.ts';

/** How deep a run lies below the one that somebody asked for. */
export const depthOf = ({ seat }: RunState): number => seat?.depth ?? 0;

/** The agents on the way to this run, its own last. */
function pathTo({ seat, manifest }: RunState): readonly string[] {
  if (seat === undefined) return [manifest?.agent ?? ''];
  return seat.path.at(-1) === seat.agent ? seat.path : [...seat.path, seat.agent];
}

/** A run's own span. A lane has been given one; that of a root follows from its id. */
const spanOf = (env: KernelEnv, { seat, id }: RunState): string =>
  seat?.span_id ?? env.hash(`${id.runId}\nspan`).slice(0, SPAN_LENGTH);

const SPAN_LENGTH = 16;

/** The place of the lane that the next call of this run opens. Everything in it follows from the run and the call. */
export function seatFor(env: KernelEnv, state: RunState, current: CurrentStep, spec: ToolSpec): LaneSeat {
  const { id, intake, session, budget } = state;
  if (intake.token === null || budget === null)
    throw impossible('a lane before the run has a token and a budget', state);
  const callId = `call_${state.counters.calls + 1}`;
  const name = env.hash(`${id.runId}\n${callId}\nlane`);
  const { allowed_tools, approval_authority } = intake.token;
  const untrusted = Object.keys(current.origin.untrusted);
  const doubts = doubtsOf(state);
  const path = pathTo(state);
  return {
    lane_id: `lane_${name.slice(0, SPAN_LENGTH)}`,
    run_id: `run_${name.slice(0, 2 * SPAN_LENGTH)}`,
    parent_run_id: id.runId,
    parent_call_id: callId,
    depth: depthOf(state) + 1,
    span_id: env.hash(`${id.runId}\n${callId}\nspan`).slice(0, SPAN_LENGTH),
    parent_span_id: spanOf(env, state),
    tool: spec.name,
    agent: spec.lane?.agent ?? path.at(-1) ?? '',
    path,
    tools: toolsIn(spec).filter((tool) => allowed_tools.includes(tool)),
    authority: approval_authority,
    caps: laneCaps(budget.caps, spec.lane?.caps ?? stepCaps(env, budget.caps, spec), leftMs(state)),
    deadline: session.expiresAt,
    ...(current.origin.tainted || isUntrusted(current.origin) ? { exposed: true as const } : {}),
    ...(untrusted.length === 0 ? {} : { untrusted }),
    ...(doubts.length === 0 ? {} : { doubts }),
  };
}

/** A step that is worked on beside others has its own tool, and what looks at what that did. */
const toolsIn = ({ lane, name, probes }: ToolSpec): readonly string[] =>
  lane?.tools ?? [name, ...[probes?.verify, probes?.reconcile].filter((probe) => probe !== undefined)];

const leftMs = (state: RunState): number =>
  Math.max(0, (state.budget?.caps.wall_clock_seconds_max ?? 0) * 1000 - elapsedMs(state));

/** One call of the tool, and what is set aside for a plan that nobody has to make. Failing, it is tried again from above. */
function stepCaps(env: KernelEnv, parent: BudgetCaps, { cost, external, timeout_ms }: ToolSpec): BudgetCaps {
  const { input_tokens, output_tokens, microusd } = addCost(cost, env.limits.plannerCost);
  return {
    input_tokens_max: input_tokens,
    output_tokens_max: output_tokens,
    tool_calls_max: 1,
    external_api_calls_max: external ? 1 : 0,
    wall_clock_seconds_max: Math.ceil((timeout_ms + env.limits.dispatchWindowMs) / 1000) + 1,
    inference_cost_usd_max: microusd / MICROUSD_PER_USD,
    retry_count_max: 0,
    reflection_passes_max: 0,
    context_tokens_max: parent.context_tokens_max,
    memory_writes_max: 0,
    side_effects_max: 0,
    steps_max: 1,
    replan_attempts_max: 0,
    lanes_max: 0,
  };
}

/** Calls that may have had their effect: whoever works for this run, or above it, does not make them either. */
export function doubtsOf({ work }: RunState): readonly LaneDoubt[] {
  return Object.entries(work.doubts).map(([call, { key, since, until }]) => ({ call, key, since, until }));
}

/** Why a lane may not be opened, in the words of the record; null where it may. */
export function laneRefusal(env: KernelEnv, state: RunState, spec: ToolSpec): LaneRefusal | null {
  const { lane } = spec;
  if (lane === undefined) return null;
  if (depthOf(state) >= DEPTH_MAX) {
    return { code: 'depth_exceeded', message: `a lane of a lane of a lane: nothing lies deeper than ${DEPTH_MAX}` };
  }
  if (pathTo(state).includes(lane.agent)) {
    const message = `${[...pathTo(state), lane.agent].join(' → ')}: nobody is asked to work for itself`;
    return { code: 'delegation_cycle', message };
  }
  const beyond = lane.tools.filter((tool) => !env.tools.isAllowed(tool));
  if (beyond.length > 0) {
    return { code: 'tool_not_allowed', message: `a lane cannot have ${beyond.join(', ')}, which this run may not use` };
  }
  return null;
}

export interface LaneRefusal {
  readonly code: 'depth_exceeded' | 'delegation_cycle' | 'tool_not_allowed' | 'lane_fanout_exceeded';
  readonly message: string;
}

/** The same of how many there are: it says nothing against the lane itself, which has its turn when there is room. */
export function fanoutRefusal({ limits }: KernelEnv, { lanes }: RunState): LaneRefusal | null {
  if (lanes === undefined || lanes.length < limits.laneFanoutMax) return null;
  return {
    code: 'lane_fanout_exceeded',
    message: `${lanes.length} lanes are open, and no more than ${limits.laneFanoutMax} may be`,
  };
}
