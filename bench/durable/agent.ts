import { cedarAuthorizer, shippedPolicies } from '../../src/adapters/cedar/index.ts';
import { systemClock, systemTimer } from '../../src/adapters/node/system-clock.ts';
import { ambit } from '../../src/compose.ts';
import type { Ambit } from '../../src/runtime/ambit.ts';
import { type AgentSpec, parseAgent } from '../../src/model/run/agent.ts';
import type { RunRequest } from '../../src/model/run/run-request.ts';
import type { Plan, PlanStep } from '../../src/model/plan/plan.ts';
import type { StoreWriter } from '../../src/model/run/store-name.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool/tool.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import type { Timer } from '../../src/ports/clock.ts';
import type { Planner } from '../../src/ports/model/planner.ts';

/** The most expensive kind of step: it has a side effect, is external, costs money and supplies evidence. */
const DRAFT: ToolSpec = {
  name: 'drafts.write',
  version: '1',
  description: 'Writes one draft',
  approval_mode: 'local_write',
  category: 'live_api',
  input_schema: {
    type: 'object',
    required: ['draft'],
    additionalProperties: false,
    properties: { draft: { type: 'string' } },
  },
  output_schema: {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' } },
  },
  active: true,
  external: true,
  side_effect: true,
  trusted: true,
  gates: [],
  produces: ['draft_written'],
  needs: [],
  idempotency: { kind: 'key', retention_ms: 86_400_000 },
  timeout_ms: 600_000,
  retries_max: 2,
  cost: { input_tokens: 0, output_tokens: 0, microusd: 1 },
  hazards: { action: 'write_permitted_draft' },
};

/** A read-only call is repeated at once after a takeover; a call with a side effect waits first. */
const READ: ToolSpec = {
  ...DRAFT,
  name: 'drafts.read',
  description: 'Reads one draft',
  approval_mode: 'read_only',
  side_effect: false,
  produces: [],
  hazards: { action: 'read_file' },
};

const MANY = 1_000_000;

const AGENT: AgentSpec = parseAgent({
  name: 'drafter',
  version: '1',
  intents: [
    {
      intent: 'write_drafts',
      description: 'Write the drafts',
      task_class: 'task',
      risk: 'low',
      modality: 'text',
      capability: 'drafts',
      criteria: [{ id: 'written', statement: 'The drafts are written.', rank: 'primary', evidence: 'draft_written' }],
    },
  ],
  boundary: {
    boundary_id: 'drafting',
    version: '1',
    profile: 'coding',
    observations: { permission_scopes: ['all'], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
    state_writes: { task_state: 'proposed', persistent_memory: 'refused' },
    tools: {
      allowed: [DRAFT.name, READ.name],
      needs_approval: [],
      mode_max: 'local_write',
      risk_max: 'moderate',
      untrusted_arguments: 'shown',
    },
    decision_rights: ['plan', 'next_step', 'tool_arguments', 'observation_summary'],
    resource_budgets: {},
    escalation_paths: ['user', 'operator', 'review_queue', 'budget_queue', 'security', 'sre', 'compliance', 'workflow_owner'],
  },
  budget: {
    profile: 'customer_support',
    overrides: {
      steps_max: MANY,
      tool_calls_max: MANY,
      external_api_calls_max: MANY,
      input_tokens_max: MANY,
      output_tokens_max: MANY,
      wall_clock_seconds_max: 86_400,
      inference_cost_usd_max: 1_000,
      retry_count_max: 3,
      reflection_passes_max: 1,
      context_tokens_max: 100_000,
      memory_writes_max: 2,
      side_effects_max: MANY,
    },
  },
  autonomy: { environment: 'sandbox', tier: 6, needs: ['unattended_plan'], reasons: [] },
  access: { tool_scopes: { [DRAFT.name]: ['all'], [READ.name]: ['all'] }, role_authority: { worker: 'local_write' } },
  pins: {
    pack_pin: 'ctxpack.bench@1.0.0',
    snapshot_pin: 'kg_1',
    model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'none' },
    prompt_template_versions: {},
  },
});

const REQUEST: Omit<RunRequest, 'goal'> = {
  mode: 'standard',
  tenant_id: 'acme',
  agent: 'drafter',
  intent: 'write_drafts',
  identity: {
    actor: 'agt_drafter',
    tenant_id: 'acme',
    roles: ['worker'],
    scopes: ['all'],
    expires_at: Number.MAX_SAFE_INTEGER,
  },
};

/** A run with this number of steps. All have a side effect except the one at `readAt`. */
export const requestOf = (name: string, steps: number, readAt = -1): RunRequest => ({
  ...REQUEST,
  goal: { statement: 'Write the drafts' },
  inputs: { name, steps, read_at: readAt },
});

/** The name of the run that writes a draft. */
export const runOfDraft = (draft: string): string => draft.slice(0, draft.lastIndexOf('-'));

/** No two calls of any run have the same arguments. */
const planner: Planner = {
  propose: async ({ inputs }) => {
    const steps = Array.from(
      { length: Number(inputs['steps']) },
      (_, at): PlanStep => ({
        id: `s${at}`,
        tool: at === inputs['read_at'] ? READ.name : DRAFT.name,
        params: { draft: `${inputs['name']}-${at}` },
      }),
    );
    const plan: Plan = { plan_id: `plan-${inputs['name']}`, intent: 'write_drafts', steps, decision_checkpoints: [] };
    return { proposal: plan, author: 'host', spent: NO_COST, contextTokens: 0 };
  },
};

interface OpenOptions {
  readonly writer?: StoreWriter;
  /** How far its clock is ahead, so that a change that a dead process left pending needs no waiting. */
  readonly aheadMs?: number;
}

/** The complete product on one file: intake, the shipped Cedar policies, all layers of the gateway and the Critic. */
export function openAmbit(
  file: string,
  execute: BoundTool['execute'],
  { writer = 'inline', aheadMs = 0 }: OpenOptions = {},
): Ambit {
  return ambit({
    agent: AGENT,
    tools: [DRAFT, READ].map((spec) => ({ spec, execute })),
    planner,
    store: `sqlite:${file}${writer === 'thread' ? '?writer=thread' : ''}`,
    world: {
      policy: { calls: cedarAuthorizer(shippedPolicies()) },
      ...(aheadMs === 0 ? {} : { clock: { nowMs: () => systemClock.nowMs() + aheadMs }, timer: timerAhead(aheadMs) }),
    },
  });
}

const timerAhead = (aheadMs: number): Timer => ({
  until: (atMs, signal) => systemTimer.until(atMs - aheadMs, signal),
});
