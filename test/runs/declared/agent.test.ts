/** A declared agent runs within its declaration, and invalid declarations are rejected with a reason. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent, AgentOptions } from '../../../src/agent/agent.ts';
import { decision } from '../../../src/agent/decision.ts';
import { agent, ambit } from '../../../src/compose.ts';
import { tool } from '../../../src/gateway/tool/tool.ts';
import { PROFILE_CAPS } from '../../../src/model/budget/budget-profile.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { RunRequest } from '../../../src/model/run/run-request.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';

const read = tool({
  name: 'docs.search',
  description: 'Search',
  approvalMode: 'read_only',
  inputSchema: z.object({ query: z.string() }),
  outputSchema: z.object({ hits: z.int() }),
  execute: () => ({ hits: 1 }),
  effects: { produces: ['hits'] },
  rules: { action: 'search_documentation' },
});
const refund = tool({
  name: 'payments.refund',
  description: 'Refund',
  approvalMode: 'destructive',
  inputSchema: z.object({ cents: z.int() }),
  outputSchema: z.object({}),
  execute: () => ({}),
  risk: { gates: [] },
  rules: { action: 'refund' },
});
const note = tool({
  name: 'crm.note',
  description: 'Leave a note',
  approvalMode: 'local_write',
  inputSchema: z.object({}),
  outputSchema: z.object({}),
  execute: () => ({}),
});

const probedWrite = tool({
  name: 'crm.write',
  description: 'Write it down',
  approvalMode: 'local_write',
  inputSchema: z.object({}),
  outputSchema: z.object({}),
  execute: () => ({}),
  effects: { verify: { probe: read, args: () => ({ query: 'notes' }), expect: () => true }, compensate: note },
});

const planner = templatePlanner({
  support: {
    plan_id: 'plan_1',
    intent: 'support',
    steps: [{ id: 's1', tool: 'docs.search', params: { query: 'refunds' } }],
    decision_checkpoints: [],
  },
});

const OPTIONS: AgentOptions = {
  name: 'support',
  planner,
  tools: [refund, read, note],
  intents: [
    {
      intent: 'support',
      description: 'Help a customer',
      risk: 'moderate',
      criteria: [{ id: 'found', statement: 'It was looked up.', evidence: 'hits' }],
    },
  ],
  boundary: 'customer_support',
  budget: { profile: 'coding', toolCallsMax: 20, sideEffectsMax: 1, wallClockSecondsMax: 300 },
  settings: { roles: { support_agent: 'destructive' } },
};

test('a risk profile allows probes of the tools, each once, but not their compensations', () => {
  const allowedFor = (tools: AgentOptions['tools']) => agent({ ...OPTIONS, tools }).spec.boundary.tools.allowed;
  expect(allowedFor([probedWrite])).toEqual(['crm.write', 'docs.search']);
  expect(allowedFor([read, probedWrite])).toEqual(['docs.search', 'crm.write']);
  expect(ambit({ agent: agent({ ...OPTIONS, tools: [probedWrite] }) })).toHaveProperty('invoke');
});

const REQUEST: RunRequest = {
  mode: 'standard',
  tenant_id: 'acme',
  agent: 'support',
  intent: 'support',
  goal: { statement: 'Find out about refunds' },
  identity: {
    actor: 'agt',
    tenant_id: 'acme',
    roles: ['support_agent'],
    scopes: ['docs.search'],
    expires_at: 4_000_000_000_000,
  },
};

function faultOf(make: () => unknown): Fault {
  try {
    make();
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

test('runs a declared agent', async () => {
  const runtime = ambit({ agent: agent(OPTIONS) });
  const outcome = await runtime.invoke(REQUEST);
  expect(outcome.terminalCode).toBe('SUCCESS');
  await runtime.records.replay(outcome.runId);
});

describe('the boundary of a risk profile', () => {
  test('allows only the declared tools; changes without a gate need boundary approval', () => {
    const { boundary, budget } = agent(OPTIONS).spec;
    expect(boundary).toMatchObject({
      profile: 'customer_support',
      tools: {
        allowed: ['payments.refund', 'docs.search', 'crm.note'],
        needs_approval: ['payments.refund', 'crm.note'],
        mode_max: 'destructive',
      },
    });
    expect(budget).toEqual({
      profile: 'coding',
      overrides: { tool_calls_max: 20, side_effects_max: 1, wall_clock_seconds_max: 300 },
    });
    expect(PROFILE_CAPS.coding.steps_max).toBe(30);
  });

  test('rejects actions that the profile does not know or forbids', () => {
    for (const action of ['payment_change', 'launch_rocket']) {
      const tools = [tool({ ...BARE, approvalMode: 'destructive', rules: { action } })];
      expect(faultOf(() => agent({ ...OPTIONS, tools })).message).toContain(
        `performs ${action}, which customer_support`,
      );
    }
  });

  test('gives a read-only agent no further authority', () => {
    const { boundary, access } = agent({ ...OPTIONS, tools: [read], settings: {} }).spec;
    expect(boundary.tools.mode_max).toBe('read_only');
    expect(access).toEqual({ tool_scopes: {}, role_authority: {} });
  });
});

const BARE = {
  name: 'bare',
  description: 'bare',
  approvalMode: 'read_only',
  inputSchema: {},
  outputSchema: {},
  execute: () => null,
} as const;

describe('rejects with a reason', () => {
  test.each<[string, object, object]>([
    ['no boundary', { boundary: undefined }, { code: 'boundary_missing' }],
    ['an unknown profile', { boundary: 'toString' }, { code: 'input_invalid', path: '/boundary' }],
    ['an unknown option', { bounds: {} }, { code: 'input_invalid', path: '/bounds' }],
    ['intents that are not a list', { intents: 'all' }, { code: 'input_invalid', path: '/intents' }],
    ['tools that are not a list', { tools: 'all' }, { code: 'input_invalid', path: '/tools' }],
    ['an unknown cap', { budget: { callsMax: 3 } }, { code: 'input_invalid' }],
  ])('%s', (_name, options, expected) => {
    expect(faultOf(() => agent({ ...OPTIONS, ...options } as AgentOptions))).toMatchObject(expected);
  });

  test('two tools of one name', () => {
    const twin = tool({ ...BARE, name: 'docs.search' });
    expect(faultOf(() => ambit({ agent: agent({ ...OPTIONS, tools: [read, twin] }) })).message).toContain(
      'two tools are named docs.search',
    );
  });

  test('tools in addition to an agent that has its own', () => {
    const both = { agent: agent(OPTIONS), tools: [read] } as { agent: Agent };
    expect(faultOf(() => ambit(both))).toMatchObject({ code: 'input_invalid', path: '/tools' });
  });
});

test('the registry version does not depend on the order of the tools', async () => {
  const versions = [
    [refund, read, note],
    [note, read, refund],
  ].map(async (tools) => {
    const runtime = ambit({ agent: agent({ ...OPTIONS, tools }) });
    const { runId } = await runtime.invoke(REQUEST);
    const frames = await runtime.records.frames(runId);
    return /"tool_registry_version":"([^"]+)"/.exec(JSON.stringify(frames).replaceAll('\\"', '"'))?.[1];
  });
  const [first, second] = await Promise.all(versions);
  expect(first).toMatch(/^sha256:/);
  expect(first).toBe(second);
});

test('a decision declares its evidence, approvals and actions', () => {
  expect(
    decision({ id: 'support.refund', evidence: ['order'], approvals: ['GATE_X'], actions: [refund, 'other'] }),
  ).toEqual({
    decision_id: 'support.refund',
    version: '1',
    description: 'support.refund',
    evidence: ['order'],
    approvals: ['GATE_X'],
    controls: [],
    evaluators: [],
    accept_threshold: 0.8,
    risk_class: 'high',
    actions: ['payments.refund', 'other'],
  });
  expect(faultOf(() => decision({ id: '', judgement: { acceptThreshold: 2 } })).code).toBe('input_invalid');
});
