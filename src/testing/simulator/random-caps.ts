import type { BudgetCaps } from '../../model/budget.ts';
import type { Prng } from './prng.ts';

/** A cap of nothing at all, one that will not last, or one with room to spare. */
function cap(prng: Prng, tight: number, roomy: number): number {
  const kind = prng.next();
  if (kind < 0.015) return 0;
  return kind < 0.08 ? prng.int(1, tight) : prng.int(Math.ceil(roomy / 2), roomy);
}

export function randomCaps(prng: Prng): BudgetCaps {
  const replans = prng.chance(0.3) ? prng.int(3, 10) : prng.int(0, 2);
  return {
    input_tokens_max: cap(prng, 2_000, 400_000),
    output_tokens_max: cap(prng, 600, 60_000),
    tool_calls_max: cap(prng, 5, 80),
    external_api_calls_max: cap(prng, 3, 60),
    wall_clock_seconds_max: cap(prng, 60, 7_200),
    inference_cost_usd_max: cap(prng, 1, 20),
    retry_count_max: prng.int(prng.chance(0.1) ? 0 : 2, 5),
    reflection_passes_max: prng.int(0, 2),
    context_tokens_max: prng.chance(0.05) ? prng.int(1, 5_000) : 200_000,
    memory_writes_max: prng.int(0, 5),
    side_effects_max: cap(prng, 3, 30),
    steps_max: cap(prng, 5, 60),
    replan_attempts_max: replans,
    lanes_max: 0,
    ...(replans > 2 ? { replan_rationale: 'the simulated planner lies' } : {}),
    ...(prng.chance(0.3) ? { tool_spend_usd_max: cap(prng, 1, 5) } : {}),
    ...(prng.chance(0.2) ? { roles: randomRoles(prng) } : {}),
  };
}

function randomRoles(prng: Prng): NonNullable<BudgetCaps['roles']> {
  return {
    planner: { input_tokens_max: cap(prng, 1_000, 100_000), inference_cost_usd_max: cap(prng, 1, 5) },
    executor: { tool_calls_max: cap(prng, 4, 40), input_tokens_max: cap(prng, 500, 50_000) },
  };
}
