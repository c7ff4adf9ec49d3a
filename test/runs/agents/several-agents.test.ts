import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Agent,
  type Ambit,
  agent,
  ambit,
  type Fault,
  type Identity,
  type StartRequest,
  templatePlanner,
  tool,
} from '../../../src/index.ts';

const identity: Identity = {
  actor: 'ada',
  tenant_id: 'tenant_a',
  roles: ['clerk'],
  scopes: ['look.act', 'pay.act'],
  expires_at: 4_000_000_000_000,
};
const SAM = { credential: { kind: 'local_operator', name: 'sam' }, reason: 'seen' } as const;

const CAPS = {
  stepsMax: 5,
  toolCallsMax: 5,
  externalApiCallsMax: 5,
  inputTokensMax: 1000,
  outputTokensMax: 1000,
  wallClockSecondsMax: 300,
  inferenceCostUsdMax: 1,
  retryCountMax: 1,
  reflectionPassesMax: 1,
  contextTokensMax: 1000,
  memoryWritesMax: 1,
  sideEffectsMax: 1,
} as const;

/** An agent with one tool that records its calls in `did`. */
function agentWithTool(name: string, approvalMode: 'read_only' | 'destructive', did: string[]): Agent {
  const act = tool({
    name: `${name}.act`,
    description: `What ${name} does`,
    approvalMode,
    effects: { produces: ['deed'], idempotency: { kind: 'key', retentionMs: 60_000 } },
    risk: { category: 'live_api', trusted: true },
    inputSchema: z.object({ what: z.string() }),
    outputSchema: z.object({ done: z.string() }),
    execute: async ({ what }) => {
      did.push(`${name} ${what}`);
      return { done: what };
    },
  });
  const asked = approvalMode === 'read_only' ? {} : { requires: ['GATE_MODE_APPROVAL'] };
  const step = { id: 's1', tool: act.spec.name, params: { what: { $slot: 'what' } }, ...asked };
  return agent({
    name,
    planner: templatePlanner({
      [name]: { plan_id: `plan_${name}`, intent: name, steps: [step], decision_checkpoints: [] },
    }),
    tools: [act],
    intents: [
      { intent: name, description: name, criteria: [{ id: 'done', statement: 'It is done.', evidence: 'deed' }] },
    ],
    boundary: 'customer_support',
    budget: CAPS,
    settings: { roles: { clerk: 'destructive' } },
  });
}

function twoAgents(did: string[] = []): Ambit {
  return ambit({ agents: [agentWithTool('look', 'read_only', did), agentWithTool('pay', 'destructive', did)] });
}

const askFor = (what: string, user: Identity = identity): StartRequest => ({
  message: `Do ${what} please`,
  inputs: { what },
  user,
});

test('runs each agent by its name, and routes approvals, replays and listings to the agent that owns the run', async () => {
  const did: string[] = [];
  const runtime = twoAgents(did);
  const looked = await runtime.invoke('look', askFor('one'));
  expect(looked.status).toBe('completed');
  const pays = await runtime.invoke('pay', askFor('two'));
  const [gate] = pays.pending;
  if (gate === undefined) throw new Error(pays.why.join(' '));
  expect(did).toEqual(['look one']);
  const paid = await runtime.approve(gate.gateId, { ...SAM, packetHash: gate.packetHash });
  expect(paid.status).toBe('completed');
  expect(did).toEqual(['look one', 'pay two']);
  for (const { runId } of [looked, paid]) expect((await runtime.records.replay(runId)).turns.length).toBeGreaterThan(1);
  const listed = (await runtime.sessions.list()).map((session) => session.agent).toSorted();
  expect(listed).toEqual(['look', 'pay']);
  for (const { runId, agent } of [
    { ...looked, agent: 'look' },
    { ...paid, agent: 'pay' },
  ])
    expect((await runtime.sessions.list({ agent, limit: 1 })).map((run) => run.runId)).toEqual([runId]);
});

test('routes an envelope to the agent it names, and rejects unknown agents, runs and gates', async () => {
  const runtime = twoAgents();
  const request = { mode: 'standard', tenant_id: 'tenant_a', agent: 'look', intent: 'look' } as const;
  const envelope = { ...request, goal: { statement: 'Do it please' }, inputs: { what: 'three' }, identity };
  expect((await runtime.invoke(envelope)).status).toBe('completed');
  const refused = { code: 'input_invalid', message: expect.stringContaining('there are look, pay') as string };
  await expect(runtime.invoke({ ...envelope, agent: 'nobody' })).rejects.toMatchObject(refused);
  await expect(runtime.invoke('nobody', askFor('four'))).rejects.toMatchObject(refused);
  await expect(runtime.sessions.get('run_nobody')).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(runtime.approve('gate_nobody', { ...SAM, packetHash: 'x' })).rejects.toMatchObject({
    code: 'gate_not_found',
  });
});

test('starts a run of the agent named first, and follows it; without a name the fault lists the agents', async () => {
  const did: string[] = [];
  const runtime = twoAgents(did);
  const [look, pay] = [runtime.start('look', askFor('seven')), runtime.start('pay', askFor('eight'))];
  for (const [run, status] of [
    [look, 'completed'],
    [pay, 'awaiting_gate'],
  ] as const) {
    const types: string[] = [];
    for await (const { event } of run.events) types.push(event.type);
    expect(types[0]).toBe('goal_received');
    expect(await run.settled).toMatchObject({ runId: run.id, status });
    expect(await runtime.sessions.get(run.id)).toMatchObject({ status });
  }
  expect(await pay.cancel('not today')).toMatchObject({ terminalCode: 'USER_CANCEL' });
  expect(did).toEqual(['look seven']);
  const unnamed = { code: 'input_invalid', path: '/agent', message: expect.stringContaining('look, pay') as string };
  expect(() => runtime.start(askFor('nine'))).toThrow(expect.objectContaining(unnamed));
});

test('a tenant runtime reaches every agent, but only with its own tenant id', async () => {
  const runtime = twoAgents();
  const tenantRuntime = runtime.within(identity);
  const looked = await tenantRuntime.invoke('look', askFor('five'));
  expect(looked.status).toBe('completed');
  expect((await tenantRuntime.sessions.get(looked.runId)).runId).toBe(looked.runId);
  const other = { ...identity, tenant_id: 'tenant_b' };
  await expect(tenantRuntime.invoke('look', askFor('six', other))).rejects.toMatchObject({
    code: 'permission_denied',
  });
});

test('reports an invalid list of agents at construction', () => {
  const one = agentWithTool('look', 'read_only', []);
  const faultOf = (agents: unknown): Fault => {
    try {
      ambit({ agents } as unknown as Parameters<typeof ambit>[0]);
    } catch (error) {
      return error as Fault;
    }
    throw new Error('the options were accepted');
  };
  expect(faultOf([]).message).toContain('agents must be a list');
  expect(faultOf([one, one]).message).toContain('two agents are called look');
  expect(() => ambit({ agents: [one], tools: [] } as unknown as Parameters<typeof ambit>[0])).toThrow('tools belongs');
});
