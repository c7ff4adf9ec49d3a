import type { Plan } from '../../model/plan.ts';
import type { ToolCost } from '../../model/tool.ts';
import { holdsDraft } from '../draft/draft-places.ts';
import { sameCall } from './same-call.ts';
import type { ToolTable } from './tool-table.ts';
import type { CommittedStep, Lookup } from './verify-context.ts';

/** What the plan takes if every step is called once and costs the most its tool may cost. By budget counter. */
export function projectCost(
  plan: Plan,
  tools: ToolTable,
  committed: Lookup<CommittedStep> = new Map(),
  draft: ToolCost | null = null,
): Readonly<Record<string, number>> {
  const total = {
    steps: 0,
    tool_calls: 0,
    external_api_calls: 0,
    side_effects: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_microusd: 0,
  };
  for (const step of plan.steps) {
    // A step that asks for exactly what a committed one asked for is done already and will not run again.
    const done = committed.get(step.id)?.step;
    if (done !== undefined && sameCall(done, step)) continue;
    const spec = tools.get(step.tool);
    total.steps += 1;
    total.tool_calls += 1;
    if (spec === undefined) continue;
    total.external_api_calls += spec.external ? 1 : 0;
    total.side_effects += spec.side_effect ? 1 : 0;
    total.input_tokens += spec.cost.input_tokens;
    total.output_tokens += spec.cost.output_tokens;
    total.cost_microusd += spec.cost.microusd;
    if (draft === null || !holdsDraft(step.params ?? {})) continue;
    // What is paid to a model is no tool's money: only its tokens count here.
    total.input_tokens += draft.input_tokens;
    total.output_tokens += draft.output_tokens;
  }
  return total;
}
