/** In reactive mode the model fills the declared output when the work is done, and the same check holds for each leaf. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Agent, agent, modelProfile, planFirst, reactive } from '../../../src/index.ts';
import { type ModelTurn, modelServer, scriptedModel } from '../../../src/testing/index.ts';
import { sdkModel, WIRES } from '../../models/wires.ts';
import { verifies } from '../../requirements/verifies.ts';
import { billing, declaration, from, GOOD, type Report, runOnce } from './bench.ts';

const decide = (tool: string, output?: object): object => ({
  steps: [
    {
      id: 'next',
      tool,
      task_objective: 'as told',
      params: tool === 'respond' ? { objective: 'say it' } : {},
      depends_on: [],
      context_key: tool === 'respond' ? null : tool,
      inputs: [],
      success_criteria: null,
    },
  ],
  ...(output === undefined ? {} : { output }),
});

/** A reactive agent with a scripted model, whose turns are used up by its run. */
function decided(turns: readonly object[]): Agent<Report> {
  const model = scriptedModel(turns as readonly ModelTurn[]);
  onTestFinished(() => model.assertDrained());
  return billing(reactive({ model }));
}

verifies('answer:output:typed-structure', 'the model is asked for the output when the criteria are met', async () => {
  const { outcome, events, replayed } = await runOnce(decided([decide('account'), decide('respond', GOOD)]));
  expect(outcome).toMatchObject({
    terminalCode: 'SUCCESS',
    output: { plan: 'Pro', seats: 4, currency: 'EUR' },
    outputEvidence: { '/plan': { ref: 'ev_1', pointer: '/plan' }, '/seats': { ref: 'ev_1', pointer: '/seats' } },
  });
  expect(replayed?.value).toEqual(outcome.output);
  expect(events.filter(({ type }) => type === 'plan_proposed')).toHaveLength(2);
});

test('a literal counts if a field of the same name was observed with exactly this value', async () => {
  const written = { plan: 'Pro', seats: 4, currency: 'EUR' };
  const { outcome } = await runOnce(decided([decide('account'), decide('respond', written)]));
  expect(outcome).toMatchObject({
    terminalCode: 'SUCCESS',
    output: written,
    outputEvidence: { '/seats': { ref: 'ev_1', pointer: '/seats', trusted: true } },
  });
});

verifies(
  'answer:output:typed-structure',
  'an unsupported leaf is repaired once, and then the run ends without success',
  async () => {
    const invented = decide('respond', { ...GOOD, plan: 'Gold' });
    const { outcome, events } = await runOnce(decided([decide('account'), invented, invented]));
    expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'output_unsupported', output: null });
    expect(outcome.why.join('\n')).toContain('output at /plan: no committed fact supports "Gold"');
    const refused = events.filter((event) => event.type === 'plan_verified' && event.verdict !== 'ok');
    expect(refused).toHaveLength(2);
  },
);

test('an unsupported leaf that the model repairs does not end the run', async () => {
  const invented = decide('respond', { ...GOOD, plan: 'Gold' });
  const { outcome } = await runOnce(decided([decide('account'), invented, decide('respond', GOOD)]));
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro' } });
});

test('a further call is not dispatched once only the output is missing', async () => {
  const { outcome, events } = await runOnce(
    decided([decide('account'), decide('inbox'), decide('inbox'), decide('respond', GOOD)]),
  );
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro' } });
  expect(events.flatMap((event) => (event.type === 'step_attempted' ? [event.tool] : []))).toEqual([
    'account',
    'respond',
  ]);
});

test.each([
  ['a value of another field', { ...GOOD, seats: 4990 }, '/output/seats'],
  ['words of the model', { ...GOOD, plan: from('r2', '/objective') }, '/output/plan'],
])('refuses %s', async (_, output, path) => {
  const { outcome, events } = await runOnce(
    decided([decide('account'), decide('respond', output), decide('respond', GOOD)]),
  );
  const refused = events.find((event) => event.type === 'plan_verified' && event.verdict !== 'ok');
  expect(refused).toMatchObject({ problems: expect.arrayContaining([expect.objectContaining({ path })]) });
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { seats: 4 } });
});

test('a value of the wrong shape is corrected in the same conversation', async () => {
  const shapeless = { plan: 'Pro', seats: '4', currency: 'EUR' };
  const { outcome, events } = await runOnce(
    decided([decide('account'), decide('respond', shapeless), decide('respond', GOOD)]),
  );
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { seats: 4 } });
  const calls = events.flatMap((event) => (event.type === 'plan_proposed' ? [event.calls?.length] : []));
  expect(calls).toEqual([1, 2]);
});

test('a text of another field is no source, even if it occurs only once', async () => {
  const turns = [decide('account'), ...[1, 2].map(() => decide('respond', { plan: 'cus_1' }))];
  const planner = reactive({ model: scriptedModel(turns as readonly ModelTurn[]) });
  const { outcome } = await runOnce(agent({ ...declaration(planner), output: z.object({ plan: z.string() }) }));
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'output_unsupported', output: null });
});

const INVOICE = z.object({ number: z.string(), total_cents: z.int() });

test.each([
  ['of one record', { number: 'INV-8', total_cents: 5990 }, 'SUCCESS'],
  ['of two records', { number: 'INV-7', total_cents: 5990 }, 'VALIDATION_FAIL'],
])('literals %s end the run with %s', async (_, invoice, terminalCode) => {
  const turns = [decide('account'), decide('respond', invoice), decide('respond', invoice)];
  const planner = reactive({ model: scriptedModel(turns as readonly ModelTurn[]) });
  const { outcome } = await runOnce(agent({ ...declaration(planner), output: INVOICE }));
  expect(outcome.terminalCode).toBe(terminalCode);
  expect(outcome.output).toEqual(terminalCode === 'SUCCESS' ? invoice : null);
});

describe.each(WIRES)('over HTTP with %s', (wire) => {
  test.each(['reactive', 'planFirst'] as const)('%s tells the model the schema, and binds its answer', async (mode) => {
    const whole = {
      ...decide('account'),
      output: { ...GOOD, plan: from('next', '/plan'), seats: from('next', '/seats') },
    };
    const turns = mode === 'reactive' ? [decide('account'), decide('respond', GOOD)] : [whole];
    const server = await modelServer(turns.map((json) => ({ json: json as never })));
    onTestFinished(async () => {
      await server.close();
      server.assertDrained();
    });
    const model = modelProfile(sdkModel(wire, server.url), { price: 'free', retry: { baseMs: 1 } });
    const { outcome } = await runOnce(billing(mode === 'reactive' ? reactive({ model }) : planFirst({ model })));
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', output: { plan: 'Pro', seats: 4, currency: 'EUR' } });
    expect(JSON.stringify(server.requests[0]?.body)).toContain('Schema of the output');
  });
});
