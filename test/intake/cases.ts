/** A support agent and its intake documents, which a test changes in one place. */

import type { PartialCaps } from '../../src/model/budget/budget.ts';
import { CompiledContext } from '../../src/model/evidence/context.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import { parse } from '../../src/model/json/parse.ts';
import { type AcceptanceCriterion, Goal } from '../../src/model/plan/goal.ts';
import { Boundary } from '../../src/model/policy/boundary.ts';
import { type AgentSpec, parseAgent } from '../../src/model/run/agent.ts';
import { Identity } from '../../src/model/run/identity.ts';
import { parseRunRequest, type RunRequest } from '../../src/model/run/run-request.ts';
import { ToolRegistry, type ToolSpec } from '../../src/model/tool/tool.ts';
import type { Ids } from '../../src/ports/clock.ts';
import { readDocument } from '../documents/examples.ts';

export const NOW = 1_777_890_000_000;

export const PRIMARY: AcceptanceCriterion = deepFreeze({
  id: 'refunded',
  statement: 'The order is refunded.',
  rank: 'primary',
  evidence: 'refund',
});

/** Every cap of the budget, because customer support has no published caps. */
export const SUPPORT_CAPS: PartialCaps = deepFreeze({
  steps_max: 15,
  tool_calls_max: 20,
  external_api_calls_max: 5,
  input_tokens_max: 200_000,
  output_tokens_max: 30_000,
  wall_clock_seconds_max: 300,
  inference_cost_usd_max: 2,
  retry_count_max: 3,
  reflection_passes_max: 1,
  context_tokens_max: 100_000,
  memory_writes_max: 2,
  side_effects_max: 1,
});

export const agentDocument: AgentSpec = deepFreeze({
  name: 'support',
  version: '3',
  intents: [
    {
      intent: 'support.refund',
      description: 'Refund an order to its original payment method',
      task_class: 'transaction',
      risk: 'high',
      modality: 'text',
      capability: 'payments',
      criteria: [PRIMARY],
    },
    {
      intent: 'support.status',
      description: 'Say where an order is and when it arrives',
      task_class: 'lookup',
      risk: 'low',
      modality: 'text',
      capability: 'orders',
      criteria: [{ id: 'answered', statement: 'The status is known.', rank: 'primary' }],
    },
    {
      intent: 'support.invoice',
      description: 'Send a copy of an invoice',
      task_class: 'communication',
      risk: 'moderate',
      modality: 'text',
      capability: 'mail',
      criteria: [{ id: 'sent', statement: 'The invoice is sent.', rank: 'primary' }],
    },
  ],
  boundary: parse(Boundary, readDocument('boundary'), 'input_invalid'),
  budget: { profile: 'customer_support', overrides: SUPPORT_CAPS },
  autonomy: { environment: 'production', tier: 6, needs: ['unattended_plan'], reasons: [] },
  access: {
    tool_scopes: {
      'adp_orders.lookup': ['orders.read'],
      'adp_policy.eval': ['policy.read'],
      'adp_payments.issue_refund': ['payments.refund', 'orders.read'],
    },
    role_authority: { support_agent: 'destructive', support_trainee: 'local_write' },
  },
  pins: {
    pack_pin: 'ctxpack.support@2.0.1',
    snapshot_pin: 'kg_2026_05_03_T0930',
    model_versions: { planner: 'large-2', executor: 'none', verifier: 'small-1', router: 'none' },
    prompt_template_versions: { planning: '4' },
  },
});

export const agent: AgentSpec = parseAgent(agentDocument);

/** The agent with some parts replaced. */
export const agentWith = (parts: Partial<Record<keyof AgentSpec, unknown>>): AgentSpec =>
  parseAgent({ ...agentDocument, ...parts });

export const identity: Identity = deepFreeze(parse(Identity, readDocument('identity'), 'input_invalid'));

export const request: RunRequest = deepFreeze({
  ...parseRunRequest({ ...readDocument('run-request'), mode: 'standard', runtime: {} }),
});

/** A request with another goal statement and without criteria. */
export const asking = (statement: string, intent = 'support.refund'): object => ({
  ...request,
  intent,
  goal: { statement },
});

export const goalSaying = (statement: string, intent = 'support.refund'): Goal =>
  deepFreeze(parse(Goal, { goal_id: 'goal_1', statement, intent, acceptance_criteria: [PRIMARY] }, 'input_invalid'));

const tool = (name: string, parts: Partial<ToolSpec> = {}): unknown => {
  const { argument_allow: _, equivalents: __, ...spec } = readDocument('tool-spec');
  return { ...spec, name, ...parts };
};

export const tools: ToolRegistry = deepFreeze(
  parse(
    ToolRegistry,
    {
      version: 'sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',
      tools: [
        tool('adp_orders.lookup'),
        tool('adp_policy.eval', { produces: ['policy'] }),
        tool('adp_payments.issue_refund', { approval_mode: 'destructive', side_effect: true, produces: ['refund'] }),
        tool('adp_accounts.close', { approval_mode: 'destructive', side_effect: true }),
      ],
    },
    'input_invalid',
  ),
);

export const context: CompiledContext = deepFreeze(
  parse(CompiledContext, readDocument('compiled-context'), 'input_invalid'),
);

/** Predictable ids, and the number of ids taken. */
export function countedIds(): Ids & { readonly taken: () => number } {
  let count = 0;
  return {
    taken: () => count,
    next: (prefix) => {
      count += 1;
      return `${prefix}_${count}`;
    },
  };
}
