/** Slot values of a host template keep the trust of the input they come from. */
import { describe, expect, test } from 'vitest';
import type { FilledSlots } from '../../../src/model/evidence/origin.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { TrustedInputs } from '../../../src/model/policy/trusted-inputs.ts';
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

const trustedInputs = (trusted: TrustedInputs): Bounds => ({ observations: { trusted_inputs: trusted } });
const template = (plan: Plan, bounds: Bounds = {}): Rig =>
  mailbox([], bounds, { options: { planner: templatePlanner({ work: plan }) } as object });
const host = (bounds: Bounds, filled?: FilledSlots): Rig => {
  const steps = planOf([{ id: 'a', tool: 'send', requires: MODE, params: { to: 'bob', text: 'hi' } }]);
  const planner = scriptedPlanner([steps], { author: 'host', ...(filled === undefined ? {} : { filled }) });
  return mailbox([], bounds, { options: { planner } as object });
};

describe('a slot filled from an untrusted input', () => {
  test('is refused if the boundary refuses untrusted arguments', async () => {
    const bench = template(SEND, { ...trustedInputs({ body: 'any' }), tools: { untrusted_arguments: 'refused' } });
    const outcome = await bench.invoke({ inputs: INPUTS });
    expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'untrusted_argument' });
    expect(bench.dispatches).toEqual([]);
  });

  test('is not granted by the request, and the packet shows the source of each value', async () => {
    const bench = template(SEND, trustedInputs({ to: 'any' }));
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

  test('makes every value below it untrusted', async () => {
    const plan = planOf([{ id: 'a', tool: 'pay', requires: MODE, params: { to: [{ account: slot('to') }] } }]);
    const bench = template(plan);
    const { pending } = await bench.invoke({ inputs: { to: { iban: ['US99', 'US98'], none: [] } } });
    expect(Object.keys((await packetAt(bench, pending[0]?.packetHash ?? '')).provenance)).toEqual([
      '/to/0/account/iban/0',
      '/to/0/account/iban/1',
      '/to/0/account/none',
    ]);
  });

  test('makes tool output derived from it untrusted', async () => {
    const plan = planOf([
      { id: 'u', tool: 'upper', params: { text: slot('body') } },
      { id: 'a', tool: 'send', requires: MODE, params: { text: { $from: 'u', path: '/text' } }, depends_on: ['u'] },
    ]);
    const { pending } = await template(plan, trustedInputs({ to: 'any' })).invoke({ inputs: INPUTS });
    expect(pending.map(({ name }) => name)).toEqual(MODE);
    expect((await template(plan, trustedInputs({ body: 'any' })).invoke({ inputs: INPUTS })).terminalCode).toBe(
      'SUCCESS',
    );
  });
});

test('a slot filled from a trusted input counts as part of the request', async () => {
  const bench = template(SEND, trustedInputs({ to: 'any', body: 'any' }));
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
])('rejects a slot value that is %s', async (_, body) => {
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

describe('a custom host planner', () => {
  const inputs = { mail: 'write to bob: hi' };
  test('that does not report its inputs is treated as if it used all of them', async () => {
    const bench = host({});
    const { pending } = await bench.invoke({ inputs });
    expect((await packetAt(bench, pending[0]?.packetHash ?? '')).provenance).toEqual({
      '/to': { source: 'ambit:input', trusted: false },
      '/text': { source: 'ambit:input', trusted: false },
    });
  });
  test('that reports its inputs is believed', async () => {
    expect((await host({}, {}).invoke({ inputs })).terminalCode).toBe('SUCCESS');
    expect((await host({}, { a: { '/to': 'mail' } }).invoke({ inputs })).pending).toHaveLength(1);
  });
  test('needs no report without untrusted inputs', async () => {
    expect((await host({}).invoke()).terminalCode).toBe('SUCCESS');
    expect((await host(trustedInputs({ mail: 'any' })).invoke({ inputs })).terminalCode).toBe('SUCCESS');
  });
});
