/** Agents that declare no intents: the default intents, and how their runs end. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, respond, templatePlanner, tool } from '../../../src/index.ts';
import { openJournal } from '../../../src/store.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { plan, plannedStep } from '../planning/bench.ts';

const lookup = (name: string, description: string) =>
  tool({
    name,
    description,
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ plan: z.string() }),
    execute: () => ({ plan: 'Pro' }),
    effects: { produces: ['account'] },
    risk: { trusted: true },
  });

const account = lookup('account', 'Look an account up. Takes no arguments.');
const invoices = lookup('invoices', 'List the invoices\nof an account');
const COMMON = { name: 'billing', tools: [account, invoices, respond], boundary: 'research' } as const;
const USER = { name: 'ada', tenant: 'acme' };

test('an agent with a model has one intent, and its run ends when the request is answered', async () => {
  const sentences = [{ text: 'Your plan is Pro.', cites: [{ ref: 'ev_1', pointer: '/plan' }] }];
  const model = scriptedModel([plan(plannedStep('s1', 'account')), JSON.stringify({ sentences })]);
  const billing = agent({ ...COMMON, model, instructions: 'Be brief.' });
  expect(billing.spec.intents).toMatchObject([
    {
      intent: 'billing',
      description: 'Look an account up; List the invoices',
      risk: 'high',
      criteria: [{ id: 'request_answered' }],
    },
  ]);
  const runtime = ambit({ agent: billing });
  const outcome = await runtime.invoke({ message: 'Which plan am I on?', user: USER });
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: 'Your plan is Pro.' });
  await runtime.records.replay(outcome.runId);
});

test('a greeting is answered with the tasks of the tools', async () => {
  const runtime = ambit({ agent: agent({ ...COMMON, model: scriptedModel([]), instructions: 'Be brief.' }) });
  const { text } = await runtime.invoke({ message: 'Hello!', user: USER });
  expect(text).toBe('Hello. I can help with: Look an account up; List the invoices.');
});

test('an agent with written plans has one intent for each plan', async () => {
  const written = (intent: string, used: string) => ({
    plan_id: `plan_${used}`,
    intent,
    steps: [
      { id: 'look', tool: used, context_key: 'found' },
      { id: 'tell', tool: 'respond', params: { objective: 'Tell the plan' }, inputs: ['found'] },
    ],
    decision_checkpoints: [],
  });
  const billing = agent({
    ...COMMON,
    planner: templatePlanner({
      'account.show': written('account.show', 'account'),
      'invoices.list': written('invoices.list', 'invoices'),
    }),
  });
  expect(billing.spec.intents.map(({ intent, description }) => [intent, description])).toEqual([
    ['account.show', 'Look an account up'],
    ['invoices.list', 'List the invoices'],
  ]);
  const outcome = await ambit({ agent: billing }).invoke({ message: 'List them', intent: 'invoices.list', user: USER });
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: 'Plan: Pro.' });
});

test('an agent without a tool that does work is described by its name', () => {
  const { spec } = agent({ ...COMMON, tools: [respond], model: scriptedModel([]) });
  expect(spec.intents).toMatchObject([{ intent: 'billing', description: 'billing' }]);
});

test('users do not read what an imported tool says of itself', () => {
  const imported = { ...account, spec: { ...account.spec, source: 'mcp:shop', trusted: false } };
  const described = (spec: object) =>
    agent({ ...COMMON, tools: [{ ...imported, spec: { ...imported.spec, ...spec } }], model: scriptedModel([]) }).spec
      .intents[0]?.description;
  expect(described({})).toBe('account');
  expect(described({ vouched: 'description' })).toBe('Look an account up');
});

test('an empty list of intents is refused', () => {
  expect(() => agent({ ...COMMON, intents: [], model: scriptedModel([]) })).toThrow(
    /intents: must name what the agent is for/,
  );
});

test('a run that waits goes on after the description of another tool has changed', async () => {
  const journal = openJournal('memory');
  const owned = { ...account, spec: { ...account.spec, gates: ['GATE_OWNER'] } };
  const deploy = (description: string) => {
    const tools = [owned, lookup('invoices', description)];
    const model = scriptedModel([plan(plannedStep('s1', 'account'))]);
    return ambit({ agent: agent({ ...COMMON, tools, model, models: { composer: null } }), world: { journal } });
  };
  const waiting = await deploy('List the invoices').invoke({ message: 'Which plan am I on?', user: USER });
  const [gate] = waiting.pending;
  const credential = { kind: 'local_operator', name: 'lead' } as const;
  const { gateId = '', packetHash = '' } = gate ?? {};
  const outcome = await deploy('List invoices').approve(gateId, { packetHash, credential, reason: 'known' });
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: 'Plan: Pro.' });
});
