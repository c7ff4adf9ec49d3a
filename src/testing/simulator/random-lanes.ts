import type { BudgetCaps } from '../../model/budget.ts';
import type { KernelLimits } from '../../model/kernel-limits.ts';
import type { LaneSeat } from '../../model/lane.ts';
import type { ToolSpec } from '../../model/tool.ts';

/** Worlds in which steps are worked on at once, in which tools are lanes, and in which the run is itself one: by the seed, so that all else is drawn as it was. */
const worksAtOnce = (seed: number): boolean => seed % 6 === 2 || seed % 6 === 5;
const hasLanes = (seed: number): boolean => seed % 6 === 2;
const isLane = (seed: number): boolean => seed % 7 === 3;

export const laneLimits = (seed: number): Pick<KernelLimits, 'parallelSteps' | 'laneFanoutMax'> => ({
  parallelSteps: worksAtOnce(seed) ? 3 : 1,
  laneFanoutMax: seed % 12 === 2 ? 2 : 8,
});

export const withLaneRoom = (seed: number, caps: BudgetCaps): BudgetCaps =>
  worksAtOnce(seed) ? { ...caps, lanes_max: 8 } : caps;

const LANE_CAPS: BudgetCaps = {
  input_tokens_max: 500,
  output_tokens_max: 100,
  tool_calls_max: 3,
  external_api_calls_max: 1,
  wall_clock_seconds_max: 60,
  inference_cost_usd_max: 0.05,
  retry_count_max: 1,
  reflection_passes_max: 0,
  context_tokens_max: 10_000,
  memory_writes_max: 0,
  side_effects_max: 1,
  steps_max: 3,
  replan_attempts_max: 0,
  lanes_max: 0,
};

/** Every other tool is a lane of somebody else's; which it can do, and what asks before it, stays as it was. */
export function lanedTools(seed: number, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  if (!hasLanes(seed)) return tools;
  return tools.map((tool, place) => {
    if (place % 2 === 1) return tool;
    const { asserts: _, probes: __, ...rest } = tool;
    const side_effects_max = tool.side_effect ? 1 : 0;
    const lane = { agent: 'helper', tools: [tool.name], caps: { ...LANE_CAPS, side_effects_max }, returns: ['result'] };
    return { ...rest, idempotency: { kind: 'natural' as const }, retries_max: 0, lane };
  });
}

/** The place of a run that is a lane: with all that its agent may spend and use, and one call above it in doubt. */
export function randomSeat(
  seed: number,
  caps: BudgetCaps,
  tools: readonly ToolSpec[],
  until: { readonly deadline: number; readonly now: number },
): { readonly lane?: LaneSeat } {
  if (!isLane(seed)) return {};
  const doubted = tools.find(({ side_effect }) => side_effect);
  const doubt = {
    call: `${doubted?.name ?? 'none'} sha256:`,
    key: 'key_above',
    since: until.now,
    until: until.now + 1,
  };
  return {
    lane: {
      lane_id: `lane_${seed}`,
      run_id: `run_${seed}`,
      parent_run_id: `run_above_${seed}`,
      parent_call_id: 'call_1',
      depth: 1 + (seed % 2),
      span_id: `span_${seed}`,
      parent_span_id: `span_above_${seed}`,
      tool: 'delegate',
      agent: 'simulated',
      path: ['supervisor'],
      tools: tools.map(({ name }) => name),
      authority: 'destructive',
      caps,
      deadline: until.deadline,
      doubts: [doubt],
      ...(seed % 3 === 0 ? { exposed: true as const } : {}),
    },
  };
}
