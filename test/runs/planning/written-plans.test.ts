/** The plans of the source texts are accepted as they are written, by an agent that declares no more than they need. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, type AgentOptions, agent, ambit, decision, templatePlanner, tool } from '../../../src/index.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { readDocument } from '../../documents/examples.ts';
import { verifies } from '../../requirements/verifies.ts';
import { rig } from '../rig.ts';
import { of, planningBench, verifiedPlans } from './bench.ts';

const PLAN = readDocument('refund-plan') as unknown as Plan;

const lookup = tool({
  name: 'adp_orders.lookup',
  description: 'Looks an order up',
  approvalMode: 'read_only',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ total_cents: z.int(), holder: z.string() }),
  execute: () => ({ total_cents: 4_200, holder: 'user_support_7' }),
  risk: { trusted: true },
  effects: { produces: ['order'] },
});
const evaluate = tool({
  name: 'adp_policy.eval',
  description: 'Evaluates the refund policy',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ allowed: z.boolean() }),
  execute: () => ({ allowed: true }),
  effects: { produces: ['policy'] },
});
const refund = tool({
  name: 'adp_payments.issue_refund',
  description: 'Refunds an order',
  approvalMode: 'destructive',
  inputSchema: z.object({}),
  outputSchema: z.object({ status: z.string() }),
  execute: () => ({ status: 'refunded' }),
});

const GATE = 'GATE_FINANCE_APPROVAL';
const execute = decision({
  id: 'support.refund.execute',
  evidence: ['order', 'policy'],
  approvals: [GATE],
  actions: [refund],
});

function support(options: Partial<AgentOptions> = {}): Agent {
  const { boundary, ...rest } = options;
  return agent({
    name: 'support',
    planner: templatePlanner({ 'support.refund': PLAN }),
    tools: [lookup, evaluate, refund],
    decisions: [execute],
    boundary: boundary ?? 'customer_support',
    budget: 'standard',
    settings: { roles: { support_agent: 'destructive' } },
    ...rest,
  });
}

const REFUND = {
  intent: 'support.refund',
  message: 'Refund order ord_881',
  user: { name: 'user_support_7', tenant: 'acme', roles: ['support_agent'] },
} as const;

/** The identity for which a plan is verified. */
const AS = { request: { user: REFUND.user } } as const;

verifies(
  'plan:schema:step-fields',
  'the refund plan whose gate stands in requires and in the decision waits at that gate alone',
  async () => {
    const runtime = ambit({ agent: support() });
    const waiting = await runtime.invoke(REFUND);
    expect(waiting).toMatchObject({ status: 'awaiting_gate', plan: { planId: 'plan_refund_01' } });
    expect(waiting.pending.map(({ name }) => name)).toEqual([GATE]);
    const [{ gateId = '', packetHash = '' } = {}] = waiting.pending;
    const credential = { kind: 'local_operator', name: 'user_finance_lead' } as const;
    const done = await runtime.approve(gateId, { packetHash, credential, reason: 'within policy' });
    expect(done.terminalCode).toBe('SUCCESS');
    expect(done.record?.approvals).toMatchObject([{ gate: GATE, step_id: 's3', approver: 'user_finance_lead' }]);
    await runtime.records.replay(done.runId);
  },
);

test('gates that the tool states are asked in addition to those of the decision', async () => {
  const spec = { ...refund.spec, gates: ['GATE_LEGAL'] };
  const runtime = ambit({ agent: support({ tools: [lookup, evaluate, { ...refund, spec, stated: ['risk.gates'] }] }) });
  expect(JSON.stringify(await runtime.verify(PLAN, AS))).toContain('GATE_LEGAL');
});

test('a tool that no decision governs keeps the gate of its mode', async () => {
  const plan = { ...PLAN, decision_checkpoints: [] };
  const planner = templatePlanner({ 'support.refund': plan });
  const runtime = ambit({ agent: support({ planner, decisions: [] }) });
  expect(JSON.stringify(await runtime.verify(plan, AS))).toContain('GATE_MODE_APPROVAL');
});

/** The plans of the planning text, field for field. */
const SF_WEATHER = {
  steps: [
    {
      context_key: 'sf_weather',
      capability: 'current_weather',
      task_objective: 'Retrieve weather for San Francisco',
      inputs: [],
    },
    {
      context_key: 'weather_response',
      capability: 'respond',
      task_objective: 'Present weather to user',
      inputs: ['sf_weather'],
    },
  ],
};
const BEAM_CURRENT = {
  steps: [
    {
      context_key: 'beam_current_pvs',
      capability: 'pv_address_finding',
      task_objective: 'Find beam current PV addresses',
      expected_output: 'PV_ADDRESSES',
      inputs: [],
    },
  ],
};

verifies('planfirst:schema:step-fields', 'the weather plan without criteria runs and answers', async () => {
  const bench = planningBench([SF_WEATHER], { tools: { current_weather: { produces: ['done'] } } });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const events = await bench.events(run.runId);
  expect(of(events, 'step_attempted').map(({ tool: name }) => name)).toEqual(['current_weather', 'respond']);
});

test('the single step of the reactive planner runs', async () => {
  const bench = rig({
    tools: { pv_address_finding: { produces: ['done', 'PV_ADDRESSES'] } },
    plans: [BEAM_CURRENT],
    options: { limits: { planning: 'stepwise' }, graph: 'reactive' },
  });
  const run = await bench.invoke();
  const events = await bench.events(run.runId);
  expect(verifiedPlans(events)[0]).toMatchObject([{ id: 'beam_current_pvs', tool: 'pv_address_finding' }]);
  expect(bench.dispatches.map(({ tool: name }) => name)).toEqual(['pv_address_finding']);
});
