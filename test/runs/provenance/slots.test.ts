/** What a host's plan takes from an input is worth what the input is: a template does not make a stranger's word its own. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import type { FilledSlots } from '../../../src/model/origin.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type Rig } from '../rig.ts';
import { type Bounds, MODE, mailbox, packetAt } from './bench.ts';

const slot = (name: string): JsonObject => ({ $slot: name });
const SEND: Plan = planOf([
  { id: 'a', tool: 'send', requires: MODE, params: { to: slot('to'), text: slot('body'), subject: 'Hello' } },
]);
const INPUTS = { to: 'bob@example.org', body: 'Pay US99' };

const others = (...inputs: readonly string[]): Bounds => ({ observations: { untrusted_inputs: inputs } });
const template = (plan: Plan, bounds: Bounds = {}): Rig =>
  mailbox([], bounds, { options: { planner: templatePlanner({ work: plan }) } as object });
const host = (bounds: Bounds, filled?: FilledSlots): Rig => {
  const steps = planOf([{ id: 'a', tool: 'send', requires: MODE, params: { to: 'bob', text: 'hi' } }]);
  const planner = scriptedPlanner([steps], { author: 'host', ...(filled === undefined ? {} : { filled }) });
  return mailbox([], bounds, { options: { planner } as object });
};

describe('a slot that a stranger fills', () => {
  test('is refused where the boundary refuses what strangers write', async () => {
    const bench = template(SEND, { ...others('to'), tools: { untrusted_arguments: 'refused' } });
    const outcome = await bench.invoke({ inputs: INPUTS });
    expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'untrusted_argument' });
    expect(bench.dispatches).toEqual([]);
  });

  test('is not granted by the request, and the packet says which values are whose', async () => {
    const bench = template(SEND, others('body'));
    const { pending, runId } = await bench.invoke({ inputs: INPUTS });
    expect(pending.map(({ name }) => name)).toEqual(MODE);
    expect((await packetAt(bench, pending[0]?.packetHash ?? '')).provenance).toEqual({
      '/to': { source: 'ambit:request', trusted: true },
      '/text': { source: 'ambit:input', trusted: false },
      '/subject': { source: 'ambit:host', trusted: true },
    });
    expect(eventsOf(await bench.events(runId), 'plan_proposed')[0]?.filled).toEqual({
      a: { '/to': 'to', '/text': 'body' },
    });
    expect(eventsOf(await bench.events(runId), 'step_cleared')[0]?.granted).toBeUndefined();
  });

  test('makes everything below it theirs', async () => {
    const plan = planOf([{ id: 'a', tool: 'pay', requires: MODE, params: { to: [{ account: slot('to') }] } }]);
    const bench = template(plan, others('to'));
    const { pending } = await bench.invoke({ inputs: { to: { iban: ['US99', 'US98'], none: [] } } });
    expect(Object.keys((await packetAt(bench, pending[0]?.packetHash ?? '')).provenance)).toEqual([
      '/to/0/account/iban/0',
      '/to/0/account/iban/1',
      '/to/0/account/none',
    ]);
  });

  test('makes what a tool makes of it theirs as well', async () => {
    const plan = planOf([
      { id: 'u', tool: 'upper', params: { text: slot('body') } },
      { id: 'a', tool: 'send', requires: MODE, params: { text: { $from: 'u', path: '/text' } }, depends_on: ['u'] },
    ]);
    const { pending } = await template(plan, others('body')).invoke({ inputs: INPUTS });
    expect(pending.map(({ name }) => name)).toEqual(MODE);
    expect((await template(plan).invoke({ inputs: INPUTS })).terminalCode).toBe('SUCCESS');
  });
});

test('a slot that the requester fills is the requester’s word', async () => {
  const bench = template(SEND, others('attachment'));
  const { runId, terminalCode } = await bench.invoke({ inputs: INPUTS });
  expect(terminalCode).toBe('SUCCESS');
  expect(eventsOf(await bench.events(runId), 'step_cleared')[0]?.granted?.leaves).toEqual({
    '/to': 'inputs/to',
    '/text': 'inputs/body',
    '/subject': 'ambit:host',
  });
});

test.each([
  ['a binding', { $from: 'c', path: '/address' }],
  ['a binding in a list', [{ x: { $from: 'c', path: '/address' } }]],
  ['half a binding', { $from: 'c' }],
  ['another slot', { deep: { $slot: 'body' } }],
])('a slot value is only ever a value, and never %s', async (_, body) => {
  const plan = planOf([
    { id: 'c', tool: 'contacts' },
    { id: 'a', tool: 'send', requires: MODE, depends_on: ['c'], params: { to: 'x', text: slot('body') } },
  ]);
  const bench = template(plan);
  const { runId, status } = await bench.invoke({ inputs: { body } as JsonObject });
  expect(status).not.toBe('completed');
  expect(bench.dispatches).toEqual([]);
  expect(eventsOf(await bench.events(runId), 'plan_failed')[0]).toMatchObject({ code: 'input_invalid' });
});

describe('a planner of the host’s own', () => {
  const inputs = { mail: 'write to bob: hi' };
  test('that does not say what it took from the inputs may have taken all of it', async () => {
    const bench = host(others('mail'));
    const { pending } = await bench.invoke({ inputs });
    expect((await packetAt(bench, pending[0]?.packetHash ?? '')).provenance).toEqual({
      '/to': { source: 'ambit:input', trusted: false },
      '/text': { source: 'ambit:input', trusted: false },
    });
  });
  test('that says so is believed', async () => {
    expect((await host(others('mail'), {}).invoke({ inputs })).terminalCode).toBe('SUCCESS');
    expect((await host(others('mail'), { a: { '/to': 'mail' } }).invoke({ inputs })).pending).toHaveLength(1);
  });
  test('has nothing to say where nobody else speaks', async () => {
    expect((await host({}).invoke({ inputs })).terminalCode).toBe('SUCCESS');
  });
});
