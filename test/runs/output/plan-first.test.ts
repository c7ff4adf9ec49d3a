/** A plan binds the declared output, and only values that the run has observed reach the outcome. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, templatePlanner, tool } from '../../../src/index.ts';
import { scriptedPlanner } from '../../../src/testing/index.ts';
import { verifies } from '../../requirements/verifies.ts';
import { billing, declaration, from, GOOD, plan, runOnce } from './bench.ts';

const refusals = (events: readonly { readonly type: string }[]): readonly unknown[] =>
  events.filter(({ type }) => type === 'plan_verified').map((event) => (event as { problems?: unknown }).problems);

verifies(
  'answer:output:typed-structure',
  'the outcome carries the output, and each leaf names its evidence',
  async () => {
    const { outcome, events, replayed } = await runOnce(billing(scriptedPlanner([plan(['account'], GOOD)])));
    expect(outcome).toMatchObject({
      terminalCode: 'SUCCESS',
      output: { plan: 'Pro', seats: 4, currency: 'EUR' },
      outputEvidence: {
        '/plan': { ref: 'ev_1', pointer: '/plan', trusted: true },
        '/seats': { ref: 'ev_1', pointer: '/seats', trusted: true },
        '/currency': { ref: 'schema', pointer: '/currency', trusted: true },
      },
    });
    expect(outcome.output?.plan).toBe('Pro');
    expect(events.filter(({ type }) => type === 'output_ruled')).toHaveLength(1);
    expect(replayed?.value).toEqual(outcome.output);
  },
);

test('sessions.get shows the same output, and the manifest records its schema', async () => {
  const { runtime, outcome, events } = await runOnce(billing(scriptedPlanner([plan(['account'], GOOD)])));
  const read = await runtime.sessions.get(outcome.runId);
  expect(read.output).toEqual(outcome.output);
  expect(read.outputEvidence).toEqual(outcome.outputEvidence);
  const begun = events.find(({ type }) => type === 'run_initialized');
  expect(begun).toMatchObject({
    manifest: { output_schema: { type: 'object', required: ['plan', 'seats', 'currency'] } },
  });
});

test('a run of an agent without an output has none, and its manifest does not mention one', async () => {
  const plain = agent(declaration(scriptedPlanner([plan(['account'])])));
  const { outcome, events } = await runOnce(plain);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: null, outputEvidence: {} });
  const begun = events.find(({ type }) => type === 'run_initialized');
  expect(begun).not.toHaveProperty('manifest.output_schema');
  expect(events.find(({ type }) => type === 'plan_verified')).not.toMatchObject({
    checks: expect.arrayContaining(['output']),
  });
});

verifies(
  'answer:output:typed-structure',
  'a literal leaf is refused once with the reason, and then repaired',
  async () => {
    const planner = scriptedPlanner([plan(['account'], { ...GOOD, plan: 'Gold' }), plan(['account'], GOOD, 'plan_2')]);
    const { outcome, events } = await runOnce(billing(planner));
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro' } });
    expect(refusals(events)[0]).toMatchObject([{ code: 'output_unsupported', path: '/output/plan' }]);
    expect(planner.requests[1]?.reason).toMatchObject({
      code: 'output_unsupported',
      message: expect.stringContaining('no committed fact supports "Gold"'),
    });
  },
);

verifies(
  'answer:output:typed-structure',
  'a leaf that stays without support ends the run without success',
  async () => {
    const invented = { ...GOOD, seats: 40 };
    const planner = scriptedPlanner([plan(['account'], invented), plan(['account'], invented, 'plan_2')]);
    const { outcome, events } = await runOnce(billing(planner));
    expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'output_unsupported', output: null });
    expect(outcome.why.join('\n')).toContain('output at /seats: no committed fact supports 40');
    expect(events.some(({ type }) => type === 'step_attempted')).toBe(false);
  },
);

test.each([
  ['a missing output', undefined, { code: 'output_invalid', path: '/output' }],
  ['a missing property', { plan: from('account', '/plan'), currency: 'EUR' }, { code: 'output_invalid' }],
  [
    'a binding of the wrong type',
    { ...GOOD, seats: from('account', '/plan') },
    { code: 'binding_type_mismatch', path: '/output/seats' },
  ],
  ['a binding to nothing', { ...GOOD, plan: from('account', '/plan/name') }, { code: 'binding_unresolved' }],
  ['a binding to an unknown step', { ...GOOD, plan: from('elsewhere', '/plan') }, { code: 'binding_unresolved' }],
  ['a draft', { ...GOOD, plan: { $draft: 'the plan' } }, { code: 'output_unsupported', path: '/output/plan' }],
  ['a word of the request', { ...GOOD, plan: 'Gold' }, { code: 'output_unsupported', path: '/output/plan' }],
])('refuses %s before a step runs, and accepts the repaired plan', async (_, output, problem) => {
  const planner = scriptedPlanner([plan(['account'], output), plan(['account'], GOOD, 'plan_2')]);
  const { outcome, events } = await runOnce(billing(planner));
  expect(refusals(events)[0]).toMatchObject([problem]);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro', seats: 4 } });
});

test('a plan of an agent without an output may not bind one', async () => {
  const planner = scriptedPlanner([plan(['account'], GOOD), plan(['account'], undefined, 'plan_2')]);
  const { outcome, events } = await runOnce(agent(declaration(planner)));
  expect(refusals(events)[0]).toMatchObject([{ code: 'output_invalid', path: '/output' }]);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: null });
});

test('a value of an untrusted source is data, and the outcome marks it', async () => {
  const output = z.object({ plan: z.string(), subject: z.string() });
  const bound = { plan: from('account', '/plan'), subject: from('inbox', '/subject') };
  const { outcome } = await runOnce(
    agent({ ...declaration(scriptedPlanner([plan(['inbox', 'account'], bound)])), output }),
  );
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro' } });
  expect(outcome.outputEvidence).toMatchObject({ '/plan': { trusted: true }, '/subject': { trusted: false } });
});

test.each([
  ['the sealed field', { email: from('customer', '/contact/email') }],
  ['an object around it', { email: from('customer', '/contact') }],
])('a sealed value never reaches the output: %s', async (_, bound) => {
  const declared = {
    ...declaration(scriptedPlanner([1, 2].map((n) => plan(['customer', 'account'], bound, `plan_${n}`)))),
  };
  const { outcome } = await runOnce(agent({ ...declared, output: { type: 'object' } }));
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'output_unsupported', output: null });
  expect(outcome.why.join('\n')).toContain('is sealed and may not leave the run');
});

test('a list is bound as a whole, and each of its leaves names its own field', async () => {
  const output = z.object({ invoices: z.array(z.object({ number: z.string(), total_cents: z.int() })) });
  const planner = scriptedPlanner([plan(['account'], { invoices: from('account', '/invoices') })]);
  const { outcome } = await runOnce(agent({ ...declaration(planner), output }));
  expect(outcome.output?.invoices).toHaveLength(2);
  expect(outcome.outputEvidence['/invoices/1/total_cents']).toEqual({
    ref: 'ev_1',
    pointer: '/invoices/1/total_cents',
    source: 'account',
    trusted: true,
  });
});

test('an output that does not fit when its values are known is repaired without repeating a call', async () => {
  const output = { type: 'object', properties: { seats: { type: 'integer', maximum: 3 } }, required: ['seats'] };
  const wrong = { seats: from('account', '/seats') };
  const planner = scriptedPlanner([plan(['account'], wrong), plan(['account'], wrong, 'plan_2')]);
  const { outcome, events } = await runOnce(agent({ ...declaration(planner), output }));
  expect(planner.requests[1]?.reason).toMatchObject({ code: 'output_invalid' });
  expect(events.filter(({ type }) => type === 'step_attempted')).toHaveLength(1);
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'output_unsupported', output: null });
});

test('a template binds the output too, and an input of the same name supports a slot', async () => {
  const output = z.object({ plan: z.string(), reference: z.string() });
  const planner = templatePlanner({
    'account.read': plan(['account'], { plan: from('account', '/plan'), reference: { $slot: 'reference' } }) as never,
  });
  const { outcome } = await runOnce(agent({ ...declaration(planner), output }), { reference: 'T-1' });
  expect(outcome).toMatchObject({
    terminalCode: 'SUCCESS',
    output: { plan: 'Pro', reference: 'T-1' },
    outputEvidence: { '/reference': { ref: 'request', pointer: '/reference' } },
  });
});

test('an input does not support a value that an observation of the same name refutes', async () => {
  const output = z.object({ plan: z.string() });
  const echo = (id: string): object => plan(['account'], { plan: 'Gold' }, id);
  const planner = scriptedPlanner([echo('plan_1'), echo('plan_2')]);
  const { outcome } = await runOnce(agent({ ...declaration(planner), output }), { plan: 'Gold' });
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'output_unsupported', output: null });
});

test('a reply to a message that asks for no action has no output', async () => {
  const reply = { plan_id: 'plan_1', intent: 'account.read', steps: [], decision_checkpoints: [], reply: HELLO };
  const { outcome } = await runOnce(billing(scriptedPlanner([reply])));
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', reason: 'answered_directly', output: null });
});

const HELLO = { kind: 'answer', text: 'Hello! How can I help you?' };

test.each([
  [
    'a schema that converts values',
    z.object({ at: z.string().transform(Number) }),
    'may check them but not change them',
  ],
  ['no schema', 'a plan', 'neither a Standard Schema nor a JSON Schema object'],
])('agent() refuses %s', (_, output, message) => {
  expect(() => agent({ ...declaration(scriptedPlanner([])), output: output as never })).toThrow(message);
});

test('an output that repeats a long value many times is refused before it fills the memory', async () => {
  const many = Array.from({ length: 300 }, () => from('pages', ''));
  const pages = tool({
    name: 'pages',
    description: 'Reads a long text',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.string(),
    execute: () => 'x'.repeat(10_000),
    effects: { produces: ['account'] },
    risk: { trusted: true },
  });
  const planner = scriptedPlanner([plan(['pages'], many), plan(['pages'], many, 'plan_2')]);
  const declared = agent({ ...declaration(planner), tools: [pages], output: z.array(z.string()) });
  const { outcome } = await runOnce(declared);
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'output_unsupported', output: null });
  expect(outcome.why.join('\n')).toContain('more than 1000000 characters');
});
