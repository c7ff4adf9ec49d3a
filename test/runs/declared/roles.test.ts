/** An agent without `settings.roles`: its users read, a change is denied, and each message names the option to set. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, agent, ambit, type RequestUser, tool } from '../../../src/index.ts';
import { ruleModel } from '../../../src/testing/rule-model.ts';

const customer = tool({
  name: 'customer',
  description: 'Looks up the plan of the user',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ name: z.string(), plan: z.string() }),
  execute: (_, { actor }) => ({ name: actor, plan: 'Pro' }),
});

const credit = tool({
  name: 'credit',
  description: 'Credits an amount to an invoice',
  approvalMode: 'destructive',
  inputSchema: z.object({ invoice: z.string() }),
  outputSchema: z.object({ invoice: z.string(), status: z.string() }),
  execute: ({ invoice }) => ({ invoice, status: 'credited' }),
});

const planOf = (name: string, params: object) => () => ({ steps: [{ id: 's1', tool: name, params }] });

const billing = (settings?: object): Agent =>
  agent({
    name: 'billing',
    model: ruleModel({
      plans: [
        { message: /which plan/iu, plan: planOf('customer', {}) },
        { message: /credit/iu, plan: planOf('credit', { invoice: 'INV-7' }) },
      ],
      sentences: { customer: 'You are on the {plan} plan.' },
      note: () => undefined,
    }),
    tools: [customer, credit],
    boundary: 'customer_support',
    budget: 'standard',
    ...(settings === undefined ? {} : { settings }),
  });

const ada: RequestUser = { name: 'ada', tenant: 'acme' };

test('an agent that names no roles answers questions, and denies a change with the option to set', async () => {
  const runtime = ambit({ agent: billing(), store: 'memory' });
  const read = await runtime.start({ message: 'Which plan am I on?', user: ada, thread: 'th_1' }).settled;
  expect(read).toMatchObject({ terminalCode: 'SUCCESS', text: 'You are on the Pro plan.' });
  const denied = await runtime.start({ message: 'Credit INV-7', user: ada, thread: 'th_1' }).settled;
  expect(denied).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
  expect(denied.why).toEqual([
    'step s1: this run may not use credit',
    'credit is destructive; the roles of the identity allow at most read_only: give a role destructive in settings.roles of the agent, and that role to the user in user.roles',
  ]);
  const lines = runtime.agents.explain().sections.flatMap((section) => section.lines);
  expect(lines).toContainEqual(expect.objectContaining({ name: 'may be started by', value: 'no role' }));
});

test('names the scope that an identity lacks', async () => {
  const runtime = ambit({ agent: billing({ roles: { clerk: 'destructive' } }), store: 'memory' });
  const identity = { actor: 'ada', tenant_id: 'acme', roles: ['clerk'], scopes: ['customer'], expires_at: 9e15 };
  const denied = await runtime.start({ message: 'Credit INV-7', user: identity }).settled;
  expect(denied.why).toEqual([
    'step s1: this run may not use credit',
    'credit needs the scope credit, which the identity does not have: add it to the scopes of the identity',
  ]);
});
