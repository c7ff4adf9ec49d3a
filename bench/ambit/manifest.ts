import type { BudgetCaps } from '../../src/model/budget/budget.ts';
import type { RunManifest } from '../../src/model/run/manifest.ts';
import { ENV } from './env.ts';
import { POST_ENTRY } from './tool.ts';

/** Every dimension has a cap above zero, so that each is checked before every call. */
const CAPS: BudgetCaps = {
  steps_max: 20_000,
  tool_calls_max: 20_000,
  external_api_calls_max: 20_000,
  input_tokens_max: 10_000_000,
  output_tokens_max: 10_000_000,
  wall_clock_seconds_max: 86_400,
  inference_cost_usd_max: 1_000,
  retry_count_max: 3,
  reflection_passes_max: 2,
  context_tokens_max: 100_000,
  memory_writes_max: 5,
  side_effects_max: 20_000,
  replan_attempts_max: 2,
  lanes_max: 0,
};

export const MANIFEST: RunManifest = {
  run_id: 'run-1',
  agent: 'bookkeeper',
  autonomy_boundary: {
    boundary_id: 'bookkeeping',
    version: '1',
    profile: null,
    observations: { permission_scopes: ['ledger'], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
    state_writes: { task_state: 'proposed', persistent_memory: 'refused' },
    tools: {
      allowed: [POST_ENTRY.name],
      needs_approval: [],
      mode_max: 'local_write',
      risk_max: 'moderate',
      untrusted_arguments: 'refused',
    },
    decision_rights: [],
    resource_budgets: {},
    escalation_paths: ['supervisor'],
  },
  autonomy_boundary_version: '1',
  workflow_graph_version: ENV.graph.hash,
  tool_registry_version: '1',
  decision_catalog_version: '1',
  policy_version: ENV.policy.version,
  evaluator_versions: {},
  detector_versions: {},
  rubric_version: ENV.rubric.version,
  model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'none' },
  prompt_template_versions: {},
  pack_pin: 'bookkeeping@1',
  snapshot_pin: 'snap-1',
  memory_snapshot: null,
  budget_caps: CAPS,
  environment: 'sandbox',
  tier: 6,
};
