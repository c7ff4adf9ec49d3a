import type { BudgetCaps } from '../../model/budget/budget.ts';
import type { KernelLimits } from '../../model/budget/kernel-limits.ts';
import type { LaneContext } from '../../model/run/lane.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

/**
 * Worlds with parallel steps, with lanes as tools, and in which the run itself is a lane. Chosen by the seed alone, so
 * that the other random choices do not change.
 */
const worksAtOnce = (seed: number): boolean => seed % 6 === 2 || seed % 6 === 5;
const hasLanes = (seed: number): boolean => seed % 6 === 2;
const isLane = (seed: number): boolean => seed % 7 === 3;

export const laneLimits = (seed: number): Pick<KernelLimits, 'parallelSteps' | 'laneFanoutMax'> => ({
  parallelSteps: worksAtOnce(seed) ? 3 : 1,
  laneFanoutMax: seed % 12 === 2 ? 2 : 8,
});

export const withLaneCap = (seed: number, caps: BudgetCaps): BudgetCaps =>
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

/** Turns every other tool into a lane of another agent; its side effects and gates stay the same. */
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

/** The lane context of a run that is itself a lane: the full budget and tools, and one parent call in doubt. */
export function randomLaneContext(
  seed: number,
  caps: BudgetCaps,
  tools: readonly ToolSpec[],
  until: { readonly deadline: number; readonly now: number },
): { readonly lane?: LaneContext } {
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
