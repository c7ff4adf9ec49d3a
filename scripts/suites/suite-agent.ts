import type { AgentSpec } from '../../src/model/run/agent.ts';

export const SUITE_AGENT = 'assistant';
export const SUITE_INTENT = 'serve';

/** The parts of the agent that differ from suite to suite. */
export interface SuiteAgentOptions {
  /** The name of the boundary and of the pack. */
  readonly name: string;
  readonly tools: readonly string[];
  readonly caps: AgentSpec['budget']['overrides'];
  readonly requestGrants: NonNullable<AgentSpec['boundary']['tools']['request_grants']>;
  readonly observations?: Partial<AgentSpec['boundary']['observations']>;
}

/** An agent for the recorded tasks of a suite: it may use all tools, and only gates restrict it. */
export function suiteAgent({ name, tools, caps, requestGrants, observations = {} }: SuiteAgentOptions): AgentSpec {
  return {
    name: SUITE_AGENT,
    version: '1',
    intents: [
      {
        intent: SUITE_INTENT,
        description: 'Do what the user asks for',
        task_class: 'task',
        risk: 'low',
        modality: 'text',
        capability: SUITE_INTENT,
        criteria: [{ id: 'done', statement: 'All requested changes are made.', rank: 'primary', evidence: 'done' }],
      },
    ],
    boundary: {
      boundary_id: name,
      version: '1',
      profile: null,
      observations: {
        permission_scopes: ['all'],
        confirm_scopes: [],
        authority_min: 0,
        personal_data: 'withheld',
        ...observations,
      },
      state_writes: { task_state: 'proposed', persistent_memory: 'refused' },
      tools: {
        allowed: tools,
        needs_approval: [],
        mode_max: 'destructive',
        risk_max: 'critical',
        untrusted_arguments: 'shown',
        request_grants: requestGrants,
      },
      decision_rights: ['plan', 'next_step', 'tool_arguments'],
      resource_budgets: {},
      escalation_paths: ['operator'],
    },
    budget: { profile: 'research', overrides: caps },
    autonomy: { environment: 'sandbox', tier: 6, needs: ['unattended_plan'], reasons: [] },
    access: {
      tool_scopes: Object.fromEntries(tools.map((tool) => [tool, ['all']])),
      role_authority: { user: 'destructive' },
    },
    pins: {
      pack_pin: `ctxpack.${name}@1.0.0`,
      snapshot_pin: 'none',
      model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'none' },
      prompt_template_versions: {},
    },
  };
}
