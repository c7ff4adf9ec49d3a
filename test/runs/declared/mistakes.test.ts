/** Agents that no run could use: each mistake is reported when the agent or the runtime is created, all at once. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AgentOptions, agent, ambit, templatePlanner, tool } from '../../../src/index.ts';

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

test('refuses a tool whose mode no role may start', () => {
  const message =
    "no role may start payments.refund, whose mode is destructive: set settings.roles, such as { clerk: 'destructive' }";
  expect(messageOf(() => ambit({ agent: declared({ settings: {} }) }))).toContain(message);
  expect(messageOf(() => ambit({ agent: declared({ settings: { roles: { clerk: 'local_write' } } }) }))).toContain(
    message,
  );
});

test('refuses a tool with a side effect if the named budget permits none, together with a missing role', () => {
  const message = messageOf(() => ambit({ agent: declared({ budget: 'research', settings: {} }) }));
  expect(message).toContain('2 problems in the options of this agent');
  expect(message).toContain(
    'payments.refund has a side effect, and the budget research permits none: set sideEffectsMax of budget (0 if an operator raises it during a run)',
  );
  expect(message).toContain('settings.roles');
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
