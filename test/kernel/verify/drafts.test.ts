/** Proves that a plan may leave open only what somebody writes, in a form that can be written, and nothing else. */
import { expect, test } from 'vitest';
import { type PlanVerification, verifyPlan } from '../../../src/kernel/verify/verify-plan.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { ToolSpec } from '../../../src/model/tool.ts';
import { context, planOf, spec, told } from './fixtures.ts';

const MAIL = spec('mail', {
  input_schema: {
    type: 'object',
    properties: { to: { type: 'string' }, text: { type: 'string' }, copies: { type: 'integer' } },
    required: ['to', 'text'],
    additionalProperties: false,
  },
});
const LOOK = spec('look', { output_schema: { type: 'object', properties: { name: { type: 'string' } } } });

function verify(
  params: JsonObject,
  changes: Parameters<typeof context>[0] = {},
  tool: ToolSpec = MAIL,
): PlanVerification {
  const steps = [
    { id: 'l', tool: 'look' },
    { id: 's', tool: tool.name, params, depends_on: ['l'] },
  ];
  return verifyPlan(
    planOf(steps),
    context({ specs: [LOOK, tool], drafting: 'allowed', catalog: new Map(), ...changes }),
    2,
  );
}

const at = (path: string) => [`argument_invalid /steps/1/params${path}`];

test('what is left open is not held against the schema yet; everything beside it is', () => {
  expect(verify({ to: 'ana', text: { $draft: 'A greeting' } }).verdict).toBe('ok');
  expect(told(verify({ to: 7, text: { $draft: 'A greeting' } }))).toEqual(at('/to'));
  expect(told(verify({ to: 'ana', text: { $draft: 'A greeting' }, copies: 'two' }))).toEqual(at('/copies'));
  expect(verify({ text: { $draft: 'A greeting' } }).verdict).toBe('replan');
  expect(told(verify({ to: 'ana', text: { $draft: 'A greeting' }, cc: 'eve' }))).toHaveLength(1);
});

test('nothing may be left open where nobody writes it', () => {
  const { drafting: _, ...nobody } = context({ specs: [LOOK, MAIL], catalog: new Map() });
  const plan = planOf([{ id: 's', tool: 'mail', params: { to: 'ana', text: { $draft: 'A greeting' } } }]);
  const verification = verifyPlan(plan, nobody, 2);
  expect(verification.problems).toMatchObject([
    { code: 'argument_invalid', path: '/steps/0/params/text', message: expect.stringContaining('nobody writes') },
  ]);
});

test.each<readonly [string, JsonObject]>([
  ['no words', { $draft: '' }],
  ['words that are none', { $draft: 7 }],
  ['something else beside it', { $draft: 'A greeting', model: 'strongest' }],
  ['a single value to be written from', { $draft: 'A greeting', using: 'this' }],
  ['another draft to be written from', { $draft: 'A greeting', using: [{ $draft: 'A name' }] }],
  ['more than anybody reads', { $draft: 'A greeting', using: Array.from({ length: 21 }, () => 1) }],
])('a draft with %s is refused', (_what, draft) => {
  expect(told(verify({ to: 'ana', text: draft }))).toEqual(at('/text'));
});

test('what is both a draft and a binding is refused', () => {
  expect(verify({ to: 'ana', text: { $draft: 'A greeting', $from: 'l', path: '' } }).verdict).toBe('replan');
});

test('what it is written from has to be there, like everything that is bound', () => {
  const from = ($from: string, path = '') => ({ to: 'ana', text: { $draft: 'A greeting', using: [{ $from, path }] } });
  expect(verify(from('l', '/name')).verdict).toBe('ok');
  expect(told(verify(from('nobody')))).toEqual(['binding_unresolved /steps/1/params/text/using/0']);
  expect(told(verify(from('s')))).toEqual(['binding_unresolved /steps/1/params/text/using/0']);
});

test('which tool a dispatcher calls is never left open', () => {
  const call = spec('call', { input_schema: { type: 'object' }, unwrap: { tool: '/tool', args: '/args' } });
  const envelope = (params: JsonObject) => verify(params, {}, call);
  expect(told(envelope({ tool: { $draft: 'Whichever' }, args: {} }))).toEqual(at('/tool'));
  expect(told(envelope({ $draft: 'The whole call' } as JsonObject))).toEqual(at(''));
});

test('what writing may take counts towards what the plan takes', () => {
  const draftCost = { input_tokens: 500, output_tokens: 100, microusd: 900 };
  const { projected } = verify({ to: 'ana', text: { $draft: 'A greeting' } }, { draftCost });
  expect(projected).toMatchObject({ input_tokens: 500, output_tokens: 100 });
  expect(verify({ to: 'ana', text: 'Hello' }, { draftCost }).projected).toMatchObject({ input_tokens: 0 });
});
