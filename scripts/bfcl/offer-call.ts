import { ambit } from '../../src/compose.ts';
import type { AgentSpec } from '../../src/model/agent.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool.ts';
import type { Call, Case } from './cases.ts';

/** Offers calls to an agent that has the tools of one case; each is a run of its own. */
export interface Counter {
  /** Whether the call reached the tool, through planning, verification and gateway. */
  offer(call: Call): Promise<boolean>;
}

const TENANT = 'bfcl';
const YEAR_3000_MS = 32_503_680_000_000;

export function openCounter({ tools }: Case): Counter {
  let reached = 0;
  let next: Call | null = null;
  const specs = tools.map(specOf);
  const runtime = ambit({
    agent: agentWith(specs.map(({ name }) => name)),
    tools: specs.map((spec) => ({
      spec,
      execute: () => {
        reached += 1;
        return { ok: true };
      },
    })),
    planner: {
      propose: async ({ attempt }) => {
        const call = attempt === 1 ? next : null;
        if (call === null) throw new Error('there is only one plan');
        return { proposal: planOf(call), author: 'model', spent: NO_COST, contextTokens: 0 };
      },
    },
  });
  return {
    offer: async (call) => {
      const before = reached;
      next = call;
      await runtime.invoke(REQUEST);
      return reached > before;
    },
  };
}

function planOf(call: Call): JsonObject {
  const steps = [{ id: 's1', tool: call.function, params: call.args }];
  return { plan_id: 'plan_1', intent: 'call', steps, decision_checkpoints: [] };
}

function specOf({ name, description, input_schema }: Case['tools'][number]): ToolSpec {
  return {
    name,
    version: '1',
    description: description === '' ? name : description,
    approval_mode: 'read_only',
    category: 'live_api',
    input_schema,
    output_schema: { type: 'object' },
    active: true,
    external: false,
    side_effect: false,
    trusted: true,
    gates: [],
    produces: [],
    needs: [],
    idempotency: { kind: 'natural' },
    timeout_ms: 10_000,
    retries_max: 0,
    cost: NO_COST,
  };
}

const REQUEST = {
  mode: 'standard',
  tenant_id: TENANT,
  agent: 'caller',
  intent: 'call',
  goal: { statement: 'Call one function' },
  identity: { actor: 'caller_1', tenant_id: TENANT, roles: ['caller'], scopes: ['all'], expires_at: YEAR_3000_MS },
};

function agentWith(tools: readonly string[]): AgentSpec {
  return {
    name: 'caller',
    version: '1',
    intents: [
      {
        intent: 'call',
        description: 'Call one function',
        task_class: 'task',
        risk: 'low',
        modality: 'text',
        capability: 'call',
        criteria: [{ id: 'called', statement: 'The function was called.', rank: 'primary' }],
      },
    ],
    boundary: {
      boundary_id: 'bfcl',
      version: '1',
      profile: null,
      observations: { permission_scopes: ['all'], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
      state_writes: { task_state: 'proposed', persistent_memory: 'refused' },
      tools: {
        allowed: tools,
        needs_approval: [],
        mode_max: 'read_only',
        risk_max: 'critical',
        untrusted_arguments: 'shown',
      },
      decision_rights: ['plan', 'next_step', 'tool_arguments'],
      resource_budgets: {},
      escalation_paths: ['operator'],
    },
    budget: { profile: 'research', overrides: {} },
    autonomy: { environment: 'sandbox', tier: 6, needs: ['unattended_plan'], reasons: [] },
    access: {
      tool_scopes: Object.fromEntries(tools.map((tool) => [tool, ['all']])),
      role_authority: { caller: 'read_only' },
    },
    pins: {
      pack_pin: 'ctxpack.bfcl@1.0.0',
      snapshot_pin: 'none',
      model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'none' },
      prompt_template_versions: {},
    },
  };
}
