import type { RunTrace } from '../model/record/trace.ts';

/** The fourteen fields of a trace. Tenant and user scope count as one field. */
const FIELDS: Readonly<Record<string, readonly (keyof RunTrace)[]>> = {
  run_id: ['run_id'],
  user_scope: ['tenant_id', 'user_scope'],
  goal_object: ['goal_object'],
  autonomy_boundary_version: ['autonomy_boundary_version'],
  workflow_graph_version: ['workflow_graph_version'],
  model_versions: ['model_versions'],
  prompt_template_versions: ['prompt_template_versions'],
  tool_registry_version: ['tool_registry_version'],
  state_checkpoints: ['state_checkpoints'],
  tool_calls: ['tool_calls'],
  budget_vector: ['budget_vector'],
  validation_results: ['validation_results'],
  escalation_events: ['escalation_events'],
  terminal_code: ['terminal_code'],
};

export const TRACE_FIELDS: number = Object.keys(FIELDS).length;

/** The fields that a trace lacks. An empty list is present: nothing of its kind happened. */
export const missingTraceFields = (trace: Partial<RunTrace>): readonly string[] =>
  Object.entries(FIELDS).flatMap(([name, keys]) =>
    keys.every((key) => trace[key] !== undefined && trace[key] !== null) ? [] : [name],
  );
