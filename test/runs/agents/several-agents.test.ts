import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Agent,
  type Ambit,
  type Ask,
  agent,
  ambit,
  type Fault,
  templatePlanner,
  tool,
} from '../../../src/index.ts';

const identity: Ask['identity'] = {
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

/** An agent with one tool, which notes what it did. */
function acting(name: string, approvalMode: 'read_only' | 'destructive', did: string[]): Agent {
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

function two(did: string[] = []): Ambit {
  return ambit({ agents: [acting('look', 'read_only', did), acting('pay', 'destructive', did)] });
}

const asking = (what: string): Ask => ({ goal: `Do ${what} please`, inputs: { what }, identity });

test('each is asked by its name, and whatever concerns a run goes to the agent whose run it is', async () => {
  const did: string[] = [];
  const runtime = two(did);
  const looked = await runtime.invoke('look', asking('one'));
  expect(looked.status).toBe('completed');
  const pays = await runtime.invoke('pay', asking('two'));
  const [gate] = pays.pending;
  if (gate === undefined) throw new Error(pays.why.join(' '));
  expect(did).toEqual(['look one']);
  const paid = await runtime.approve(gate.gateId, { ...SAM, packetHash: gate.packetHash });
  expect(paid.status).toBe('completed');
  expect(did).toEqual(['look one', 'pay two']);
  for (const { runId } of [looked, paid]) expect((await runtime.replay(runId)).turns.length).toBeGreaterThan(1);
  const listed = (await runtime.sessions()).map((session) => session.agent).toSorted();
  expect(listed).toEqual(['look', 'pay']);
  for (const { runId, agent } of [
    { ...looked, agent: 'look' },
    { ...paid, agent: 'pay' },
  ])
    expect((await runtime.sessions({ agent, limit: 1 })).map((run) => run.runId)).toEqual([runId]);
});

test('an envelope names its agent, and an agent that is not here is not asked', async () => {
  const runtime = two();
  const request = { mode: 'standard', tenant_id: 'tenant_a', agent: 'look', intent: 'look' };
  const whole = { ...request, goal: { statement: 'Do it please' }, inputs: { what: 'three' }, identity };
  expect((await runtime.invoke(whole)).status).toBe('completed');
  const refused = { code: 'input_invalid', message: expect.stringContaining('there are look, pay') as string };
  await expect(runtime.invoke({ ...whole, agent: 'nobody' })).rejects.toMatchObject(refused);
  await expect(runtime.invoke('nobody', asking('four'))).rejects.toMatchObject(refused);
  await expect(runtime.outcome('run_nobody')).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(runtime.approve('gate_nobody', { ...SAM, packetHash: 'x' })).rejects.toMatchObject({
    code: 'gate_not_found',
  });
});

test('one tenant reaches all agents through its door, and only as itself', async () => {
  const runtime = two();
  const door = runtime.within(identity);
  const looked = await door.invoke('look', asking('five'));
  expect(looked.status).toBe('completed');
  expect((await door.outcome(looked.runId)).runId).toBe(looked.runId);
  const other = { ...identity, tenant_id: 'tenant_b' };
  await expect(door.invoke('look', { ...asking('six'), identity: other })).rejects.toMatchObject({
    code: 'permission_denied',
  });
});

test('what is wrong with the list of agents is said before anything runs', () => {
  const one = acting('look', 'read_only', []);
  const tried = (agents: unknown): Fault => {
    try {
      ambit({ agents } as unknown as Parameters<typeof ambit>[0]);
    } catch (error) {
      return error as Fault;
    }
    throw new Error('it was put together');
  };
  expect(tried([]).message).toContain('agents is a list');
  expect(tried([one, one]).message).toContain('two agents are called look');
  expect(() => ambit({ agents: [one], tools: [] } as unknown as Parameters<typeof ambit>[0])).toThrow('tools belongs');
});
