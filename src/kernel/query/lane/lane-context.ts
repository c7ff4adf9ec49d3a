import type { BudgetCaps } from '../../../model/budget/budget.ts';
import { MICROUSD_PER_USD } from '../../../model/budget/dimensions.ts';
import { isUntrusted } from '../../../model/evidence/origin.ts';
import { DEPTH_MAX, type LaneContext, type LaneDoubt } from '../../../model/run/lane.ts';
import { addCost, type ToolSpec } from '../../../model/tool/tool.ts';
import { laneCaps } from '../../budget/lane-caps.ts';
import type { KernelEnv } from '../../env.ts';
import { elapsedMs, impossibleEvent } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';

export const depthOf = ({ laneContext }: RunState): number => laneContext?.depth ?? 0;

/** The agents from the root run to this one, its own last. */
function agentPath({ laneContext, manifest }: RunState): readonly string[] {
  if (laneContext === undefined) return [manifest?.agent ?? ''];
  return laneContext.path.at(-1) === laneContext.agent ? laneContext.path : [...laneContext.path, laneContext.agent];
}

/** The span of a run. A lane has one assigned; the span of a root run is derived from its id. */
const spanOf = (env: KernelEnv, { laneContext, id }: RunState): string =>
  laneContext?.span_id ?? env.hash(`${id.runId}\nspan`).slice(0, SPAN_LENGTH);

const SPAN_LENGTH = 16;

/** The context of the lane that the next call opens, derived from the run and the call. */
export function createLaneContext(env: KernelEnv, state: RunState, current: CurrentStep, spec: ToolSpec): LaneContext {
  const { id, intake, session, budget } = state;
  if (intake.token === null || budget === null)
    throw impossibleEvent('a lane before the run has a token and a budget', state);
  const callId = `call_${state.counters.calls + 1}`;
  const name = env.hash(`${id.runId}\n${callId}\nlane`);
  const { allowed_tools, approval_authority } = intake.token;
  const untrusted = Object.keys(current.origin.untrusted);
  const doubts = doubtsOf(state);
  const path = agentPath(state);
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
    tools: laneTools(spec).filter((tool) => allowed_tools.includes(tool)),
    authority: approval_authority,
    caps: laneCaps(budget.caps, spec.lane?.caps ?? stepCaps(env, budget.caps, spec), remainingMs(state)),
    deadline: session.expiresAt,
    ...(current.origin.tainted || isUntrusted(current.origin) ? { exposed: true as const } : {}),
    ...(untrusted.length === 0 ? {} : { untrusted }),
    ...(doubts.length === 0 ? {} : { doubts }),
  };
}

/** A step that runs in its own lane has its tool and the probes of that tool. */
const laneTools = ({ lane, name, probes }: ToolSpec): readonly string[] =>
  lane?.tools ?? [name, ...[probes?.verify, probes?.reconcile].filter((probe) => probe !== undefined)];

const remainingMs = (state: RunState): number =>
  Math.max(0, (state.budget?.caps.wall_clock_seconds_max ?? 0) * 1000 - elapsedMs(state));

/** The caps of a step lane: one call of its tool and the reserve for its plan. The parent handles failures. */
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

/** Calls that may have had their effect. No other run of the family may make them either. */
export function doubtsOf(state: RunState): readonly LaneDoubt[] {
  const omitsDecided = hasRule(state, 'tools_in_doubt');
  return Object.entries(state.work.doubts).flatMap(([call, { key, since, until, decided, tool }]) =>
    omitsDecided && decided ? [] : [{ call, key, since, until, ...(tool === undefined ? {} : { tool }) }],
  );
}

/** The recorded reason why the lane may not be opened, or null. */
export function laneRefusal(env: KernelEnv, state: RunState, spec: ToolSpec): LaneRefusal | null {
  const { lane } = spec;
  if (lane === undefined) return null;
  if (depthOf(state) >= DEPTH_MAX) {
    return { code: 'depth_exceeded', message: `a lane of a lane of a lane: nothing lies deeper than ${DEPTH_MAX}` };
  }
  if (agentPath(state).includes(lane.agent)) {
    const message = `${[...agentPath(state), lane.agent].join(' → ')}: nobody is asked to work for itself`;
    return { code: 'delegation_cycle', message };
  }
  const forbidden = lane.tools.filter((tool) => !env.tools.isAllowed(tool));
  if (forbidden.length > 0) {
    return {
      code: 'tool_not_allowed',
      message: `a lane cannot have ${forbidden.join(', ')}, which this run may not use`,
    };
  }
  return null;
}

export interface LaneRefusal {
  readonly code: 'depth_exceeded' | 'delegation_cycle' | 'tool_not_allowed' | 'lane_fanout_exceeded';
  readonly message: string;
}

/** Refuses a lane that may not be opened now, with the layer that refuses it; null if it may. */
export function refuseLane(
  env: KernelEnv,
  state: RunState,
  spec: ToolSpec,
): (LaneRefusal & { readonly layer: 'budget' | 'permission' }) | null {
  const full = fanoutRefusal(env, state);
  if (full !== null) return { layer: 'budget', ...full };
  const refusal = laneRefusal(env, state, spec);
  return refusal === null ? null : { layer: 'permission', ...refusal };
}

/** Refuses a lane while too many are open. The lane can be opened later. */
export function fanoutRefusal({ limits }: KernelEnv, { lanes }: RunState): LaneRefusal | null {
  if (lanes === undefined || lanes.length < limits.laneFanoutMax) return null;
  return {
    code: 'lane_fanout_exceeded',
    message: `${lanes.length} lanes are open, and no more than ${limits.laneFanoutMax} may be`,
  };
}
