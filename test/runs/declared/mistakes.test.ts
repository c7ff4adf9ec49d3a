/** Agents that no run could use: each mistake is reported when the agent or the runtime is created, all at once. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AgentOptions, agent, ambit, decision, lane, templatePlanner, tool } from '../../../src/index.ts';
import { memoryStores } from '../../../src/store.ts';

const refund = tool({
  name: 'payments.refund',
  description: 'Refunds a payment',
  approvalMode: 'destructive',
  inputSchema: z.object({}),
  outputSchema: z.object({ status: z.string() }),
  execute: () => ({ status: 'refunded' }),
  effects: { produces: ['refund'] },
});

const STEP = { id: 's1', tool: 'payments.refund' };

const declared = (options: Partial<AgentOptions>) =>
  agent({
    name: 'support',
    planner: templatePlanner({ ask: { plan_id: 'p1', intent: 'ask', steps: [STEP], decision_checkpoints: [] } }),
    tools: [refund],
    intents: [{ intent: 'ask', description: 'Refund a payment' }],
    boundary: 'customer_support',
    budget: 'standard',
    settings: { roles: { clerk: 'destructive' } },
    ...options,
  });

function messageOf(create: () => unknown): string {
  try {
    create();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

test('accepts a tool that one role may start and the budget permits', () => {
  expect(messageOf(() => ambit({ agent: declared({}) }))).toBe('');
});

test('refuses a tool with a side effect if the named budget permits none', () => {
  const message = messageOf(() => ambit({ agent: declared({ budget: 'research' }) }));
  expect(message).toContain(
    'payments.refund has a side effect, and the budget research permits none: set sideEffectsMax of budget (0 if an operator raises it during a run)',
  );
});

test('accepts a stated zero, which an operator can raise during a run', () => {
  const budget = { profile: 'standard', sideEffectsMax: 0 };
  expect(messageOf(() => ambit({ agent: declared({ budget }) }))).toBe('');
});

test('reports every missing option of agent() and tools with the same name at once', () => {
  const nothing = { name: 'support', tools: [refund, { ...refund }], intents: {} } as unknown as AgentOptions;
  const message = messageOf(() => agent(nothing));
  expect(message).toContain('4 problems in the options of this agent');
  for (const part of [
    'boundary is missing',
    'intents must be a list',
    'two tools are named payments.refund',
    'planner is missing',
  ])
    expect(message).toContain(part);
});

/** The lines of a fault that lists several problems. */
const linesOf = (create: () => unknown): readonly string[] =>
  messageOf(create)
    .split('\n')
    .filter((line) => line.startsWith('- '));

const find = tool({
  name: 'payments.find',
  description: 'Finds a refund',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ status: z.string() }),
  execute: () => ({ status: 'refunded' }),
});

const probed = tool({
  name: 'payments.refund',
  description: 'Refunds a payment',
  approvalMode: 'destructive',
  inputSchema: z.object({}),
  outputSchema: z.object({ status: z.string() }),
  execute: () => ({ status: 'refunded' }),
  effects: { produces: ['refund'], reconcile: { probe: find } },
  conditions: { acount_holder: '/status' },
});

const criteria = [{ id: 'sent', statement: 'The mail is sent.', evidence: 'refnd' }];

test('ambit() reports everything that does not fit together at once, each with its option and its fix', () => {
  const support = declared({
    tools: [probed],
    intents: [{ intent: 'ask', description: 'Refund a payment', criteria }],
    decisions: [decision({ id: 'pay', evidence: ['order'], actions: ['payments.refund'] })],
    settings: { scopes: { 'payments.refund': ['pay'] } },
  });
  const lines = linesOf(() =>
    ambit({
      agent: support,
      limitz: {},
      limits: { gateTtlMsec: 1, parallelSteps: 3 },
      world: {
        clok: {},
        services: { logs: () => undefined },
        policy: { gate: {}, quota: { tool_calls: 1 } },
      },
    } as never),
  );
  for (const part of [
    '/limitz: there is no option limitz; there are limits, ',
    '/world/clok: there is no option clok; there are clock, ',
    '/world/services/logs: there is no option logs; there are log, ',
    '/world/policy/gate: there is no option gate; there are gates, ',
    'world/policy/quota: there is no field tool_calls; there are tool_calls_max, ',
    'limits: there is no field gateTtlMsec; there are gateTtlMs, ',
    'payments.find is a probe of payments.refund and needs the scope payments.find, which payments.refund does not need: give both the same scopes in settings.scopes',
    'criterion sent of ask needs evidence refnd, and no tool produces it: add it to effects.produces of a tool (the tools produce refund)',
    'decision pay needs evidence order, and no tool produces it',
    'payments.refund: there is no condition acount_holder; there are account_holder, ',
    'parallelSteps is 3, and the budget covers 0 lanes, one for each parallel step: set lanesMax of budget to 3 or more',
  ])
    expect(lines.filter((line) => line.includes(part))).toHaveLength(1);
  expect(lines).toHaveLength(11);
});

test('agent() names its own options, not the fields of the stored agent', () => {
  const budget = { profile: 'standard', toolCallsMax: -1 };
  const settings = { roles: { clerk: 'write' }, scopes: { 'payments.refund': 'pay' } };
  expect(linesOf(() => declared({ budget, settings } as never))).toEqual([
    expect.stringContaining('agent/budget/toolCallsMax: '),
    expect.stringContaining('agent/settings/scopes/payments.refund: '),
    expect.stringContaining('agent/settings/roles/clerk: '),
  ]);
});

test('agent() refuses values that are no tools, and a missing name', () => {
  const lines = linesOf(() => agent({ tools: [{ name: 'pay' }, null], planner: templatePlanner({}) } as never));
  for (const part of [
    'agent: name is missing: name the agent, such as billing',
    'agent: boundary is missing',
    'agent: tools.0 is no tool: make it with tool()',
    'agent: tools.1 is no tool: make it with tool()',
  ])
    expect(lines.filter((line) => line.includes(part))).toHaveLength(1);
});

test('ambit() reports a wrong gate and a wrong part of an agent together with the wiring', () => {
  const { spec, ...parts } = declared({ intents: [{ intent: 'ask', description: 'Refund a payment', criteria }] });
  const budget = { profile: 'standard', overrides: { tool_calls_max: -1 } };
  const lines = linesOf(() =>
    ambit({
      agent: { ...parts, spec: { ...spec, budget } },
      limits: { foo: 1 },
      world: { policy: { gates: { GATE_X: { role: 1 } } } },
    } as never),
  );
  for (const part of [
    'agent/budget/overrides/tool_calls_max: ',
    'limits: there is no field foo; ',
    'world/policy/gates/GATE_X: there is no field role; there are roles, ',
    'needs evidence refnd, and no tool produces it',
  ])
    expect(lines.filter((line) => line.includes(part))).toHaveLength(1);
});

test('ambit() without an agent names the form of the call', () => {
  expect(messageOf(() => ambit(undefined as never))).toBe(
    "ambit() needs an options object: ambit({ agent, store: 'sqlite:ambit.db' })",
  );
  expect(messageOf(() => ambit({} as never))).toBe('agent is missing: pass an agent made with agent()');
  expect(messageOf(() => ambit({ agent: declared({}), agents: [declared({})] } as never))).toContain(
    'agent and agents are both set: pass one agent, or a list of agents',
  );
});

test('ambit() reports the mistakes of all its agents at once', () => {
  const poor = declared({ budget: 'research' });
  const other = { ...poor, spec: { ...poor.spec, name: 'other' } };
  const lines = linesOf(() => ambit({ agents: [declared({ budget: {} }), other], stor: 'memory' } as never));
  expect(lines.filter((line) => line.includes('/stor: there is no option stor; there are store, '))).toHaveLength(1);
  for (const part of ['has a side effect', 'has no published caps: state inputTokensMax, '])
    expect(lines.some((line) => line.includes(part))).toBe(true);
});

test('accepts evidence that a context may supply, and parallel steps that the budget covers', () => {
  const budget = { profile: 'standard', lanesMax: 3 };
  const evident = declared({ budget, intents: [{ intent: 'ask', description: 'Refund', criteria }] });
  const world = { memory: { store: memoryStores.inMemory(), keep: {} } };
  expect(messageOf(() => ambit({ agent: evident, limits: { parallelSteps: 3 }, world }))).toBe('');
});

test('agent() reports unknown options at every level, with the nearest known ones first', () => {
  const lines = linesOf(() =>
    declared({
      instruction: 'Be brief.',
      intents: [{ intent: 'ask', description: 'Refund a payment', capabilty: 'x' }],
      budget: { toolCallMax: 3, stepMax: 2 },
      boundary: 'costumer_support',
      settings: { role: {}, autonomy: {} },
      models: { compozer: null },
    } as never),
  );
  for (const part of [
    'there is no option instruction; there are instructions, ',
    'settings: there is no option role; there are roles, ',
    'intents.0: there is no option capabilty; there are capability, ',
    'budget: there is no cap toolCallMax, stepMax; there are toolCallsMax, ',
    'models: there is no role compozer; there are composer, ',
  ])
    expect(lines.filter((line) => line.includes(part))).toHaveLength(1);
});

test('agent() names the nearest risk profile, and the fields of a custom boundary', () => {
  expect(messageOf(() => declared({ boundary: 'costumer_support' } as never))).toContain(
    'there is no risk profile costumer_support; there are customer_support, ',
  );
  const { boundary } = declared({}).spec;
  const tools = { ...boundary.tools, alowed: [] };
  const lines = linesOf(() => declared({ boundary: { ...boundary, tools, escalation_path: [] } } as never));
  expect(lines).toEqual([
    expect.stringContaining('agent/boundary/tools: there is no field alowed; there are allowed, '),
    expect.stringContaining('agent/boundary: there is no field escalation_path; there are escalation_paths, '),
  ]);
});

test('tool() reports unknown options at every level, with the nearest known ones first', () => {
  const lines = linesOf(() =>
    tool({
      name: 'pay',
      description: 'Pays',
      approvalmode: 'destructive',
      inputSchema: z.object({}),
      outputSchema: z.object({}),
      execute: () => ({}),
      effects: { produce: [], idempotency: { kind: 'key', retentionMsec: 1 } },
      limits: { rate: { calls: 1, perMsec: 1 } },
      risk: { trust: true },
      rules: { actions: 'refund' },
      condition: {},
    } as never),
  );
  for (const part of [
    'approvalMode is missing: say what a call may do',
    'there is no option approvalmode, condition; there are approvalMode, ',
    'effects: there is no option produce; there are produces, ',
    'effects.idempotency: there is no option retentionMsec; there are retentionMs, ',
    'limits.rate: there is no option perMsec; there are perMs, ',
    'risk: there is no option trust; there are trusted, ',
    'rules: there is no option actions; there are action, ',
  ])
    expect(lines.filter((line) => line.includes(part))).toHaveLength(1);
});

test('decision() and lane() report unknown options', () => {
  const judged = { id: 'pay', evidences: [], judgement: { control: [] } };
  expect(linesOf(() => decision(judged as never))).toEqual([
    expect.stringContaining('decision pay: there is no option evidences; there are evidence, '),
    expect.stringContaining('decision pay: judgement: there is no option control; there are controls, '),
  ]);
  expect(messageOf(() => lane({ name: 'l', budjet: {} } as never))).toContain(
    'there is no option budjet; there are budget, ',
  );
});

test('start() reports unknown fields of a request and of its user', () => {
  const runtime = ambit({ agent: declared({}), store: 'memory' });
  const start = (request: object): string => messageOf(() => runtime.start(request as never));
  expect(start({ mesage: 'Refund it', user: { name: 'ada', tenant: 'shop' } })).toContain('mesage');
  expect(start({ message: 'Refund it', user: { name: 'ada', tenant: 'shop', role: [] } })).toContain(
    'there is no field role; there are roles, ',
  );
});

test('a call without its argument names the form of the call', async () => {
  const runtime = ambit({ agent: declared({}), store: 'memory' });
  expect(messageOf(() => runtime.start(undefined as never))).toBe('the request is missing: start({ message, user })');
  expect(messageOf(() => runtime.start('support', undefined as never))).toBe(
    "the request is missing: start('support', { message, user })",
  );
  await expect(runtime.threads.get('th_1', undefined as never)).rejects.toThrow(
    'an argument is missing: pass an object',
  );
});

test.each([
  [
    'a tool without a mode',
    () => tool({ ...find.spec, inputSchema: z.object({}), outputSchema: z.object({}) } as never),
    'approvalMode is missing',
  ],
  ['an agent without a boundary', () => declared({ boundary: undefined } as never), 'boundary is missing'],
])('refuses %s', (_, create, message) => {
  expect(messageOf(create)).toContain(message);
});

test('an identity without roles only reads', async () => {
  const runtime = ambit({ agent: declared({}), store: 'memory' });
  const user = { name: 'ada', tenant: 'shop' };
  const outcome = await runtime.start({ message: 'Refund it', user }).settled;
  expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'PERMISSION_DENIED', reason: 'plan_rejected' });
});

test('ambit() reports a broken port and each kept type of the memory together with all other mistakes', () => {
  const lines = linesOf(() =>
    ambit({
      agent: declared({ tools: [probed] }),
      limitz: {},
      world: {
        clock: {},
        judges: [{}],
        policy: { quota: { tool_calls: 1 }, detectors: [{}] },
        memory: { store: {}, keep: { refund: { ttlMs: -1, scope: 'a' }, refnd: { ttlMs: 1_000, scope: 'a' } } },
      },
    } as never),
  );
  for (const part of [
    '/limitz: there is no option limitz',
    '/world/clock: clock must be an object with nowMs()',
    '/world/judges/0: this is not a judge',
    '/world/policy/detectors/0: a detector must be',
    'tool_calls',
    '/world/memory/store: world.memory needs a store',
    'world/memory/keep/refund/ttlMs',
    '/world/memory/keep/refnd: no tool produces evidence of type refnd; the tools produce refund',
    'acount_holder',
  ])
    expect(lines.join('\n')).toContain(part);
});
