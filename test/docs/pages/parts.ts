/** Real parts that pages need: a model server behind `anthropic(…)`, answers of a model, and an agent with two tools. */

import { z } from 'zod';
import type {
  Agent,
  AgentOptions,
  Ambit,
  AmbitOptions,
  Boundary,
  BoundTool,
  PlanTemplates,
  RequestUser,
  RunOutcome,
  StartRequest,
} from '../../../src/index.ts';
import { agent, ambit, templatePlanner, tool } from '../../../src/index.ts';
import { type ModelServer, modelServer, scriptedModel } from '../../../src/testing/index.ts';

export const plan = (...steps: readonly object[]): object => ({ steps, decision_checkpoints: [] });

export const step = (name: string, params: object = {}, id = 's1'): object => ({ id, tool: name, params });

/** The fields of evidence that a sentence cites: `['ev_1', '/plan']`. */
type Cited = readonly [ref: string, pointer: string];

const sentence = (text: string, ...cites: readonly Cited[]): object => ({
  text,
  cites: cites.map(([ref, pointer]) => ({ ref, pointer })),
});

export const answer = (text: string, ...cites: readonly Cited[]): object => ({ sentences: [sentence(text, ...cites)] });

/**
 * Starts a server that plays a script, one JSON answer per request, and makes it the address of `anthropic(…)`. Call it
 * before the first block loads the provider.
 */
export async function serveAnthropic(...script: readonly object[]): Promise<ModelServer> {
  const server = await modelServer(script.map((json) => ({ json: json as never })));
  process.env['ANTHROPIC_BASE_URL'] = `${server.url}/v1`;
  process.env['ANTHROPIC_API_KEY'] = 'key';
  return server;
}

/** Stops a server whose whole script was used. */
export async function stopServer(server: ModelServer): Promise<void> {
  await server.close();
  server.assertDrained();
}

export const customer: BoundTool = tool({
  name: 'customer',
  description: 'Looks up the plan of the user',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ name: z.string(), plan: z.string() }),
  execute: (_, { actor }) => ({ name: actor, plan: 'Pro' }),
  effects: { produces: ['customer'] },
  risk: { trusted: true },
});

const credit: BoundTool = tool({
  name: 'credit',
  description: 'Credits an amount to an invoice',
  approvalMode: 'destructive',
  inputSchema: z.object({ invoice: z.string(), amount_cents: z.int().positive() }),
  outputSchema: z.object({ invoice: z.string(), amount_cents: z.int() }),
  execute: (input) => input,
  effects: { produces: ['credit'] },
  risk: { gates: ['GATE_FINANCE_APPROVAL'] },
});

const SETTINGS = { roles: { subscriber: 'destructive' } } as const;

export const ADA: RequestUser = { name: 'ada', tenant: 'tenant_acme', roles: ['subscriber'] };

export const QUESTION: StartRequest = { message: 'Which plan am I on?', user: ADA };

export const CREDIT: StartRequest = { message: 'Credit 500 cents to invoice INV-7', user: ADA };

/** An agent whose model is a script. */
export const scripted = (script: readonly object[], options: Partial<AgentOptions> = {}): Agent =>
  agent({
    name: 'billing',
    model: scriptedModel(script),
    tools: [customer, credit],
    boundary: 'customer_support',
    budget: 'standard',
    settings: SETTINGS,
    ...options,
  });

/** An agent that looks the plan up by a written plan, without a model. */
export const written = (options: Partial<AgentOptions> = {}, steps: readonly object[] = [step('customer')]): Agent =>
  agent({
    name: 'billing',
    planner: templatePlanner({
      ask: { plan_id: 'plan_1', intent: 'ask', ...plan(...steps) },
    } as unknown as PlanTemplates),
    tools: [customer, credit],
    boundary: 'customer_support',
    budget: 'standard',
    settings: SETTINGS,
    ...options,
  });

/** The answers of a model that credits invoice INV-7 and says so. */
export const CREDITED: readonly object[] = [
  plan(step('credit', { invoice: 'INV-7', amount_cents: 500 })),
  answer('The amount is 5.00.', ['ev_1', '/amount_cents']),
];

/** A runtime whose model credits an invoice. */
export const creditRuntime = (options: Pick<AmbitOptions, 'world' | 'store'> = {}, times = 1): Ambit =>
  ambit({ agent: scripted(Array(times).fill(CREDITED).flat()), ...options });

/** A boundary of the host's own, without a risk profile. */
export const boundary = (allowed: readonly string[]): Boundary => ({
  boundary_id: 'own',
  version: '1',
  profile: null,
  observations: { permission_scopes: [], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
  state_writes: { task_state: 'proposed', persistent_memory: 'refused' },
  tools: {
    allowed,
    needs_approval: [],
    mode_max: 'destructive',
    risk_max: 'high',
    untrusted_arguments: 'refused',
    request_grants: 'none',
  },
  decision_rights: ['plan', 'clarification_request', 'escalation_recommendation', 'tool_arguments'],
  resource_budgets: {},
  escalation_paths: ['user', 'operator', 'review_queue', 'budget_queue', 'security', 'sre', 'compliance'],
});

/** The first open gate of a run. */
export function gateOf({ pending }: RunOutcome): RunOutcome['pending'][number] {
  const [gate] = pending;
  if (gate === undefined) throw new Error('the run has no open gate');
  return gate;
}

/** A tool that the pages about the critic call. */
export const letter: BoundTool = tool({
  name: 'draft_letter',
  description: 'Drafts a letter',
  approvalMode: 'read_only',
  inputSchema: z.object({ card: z.string() }),
  outputSchema: z.object({ text: z.string() }),
  execute: () => ({ text: 'Dear Ada, thank you.' }),
});
