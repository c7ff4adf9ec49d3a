/** A plan may contain drafts only if a writer role exists, and only in a valid form. */
import { expect, test } from 'vitest';
import { type PlanVerification, verifyPlan } from '../../../src/kernel/verify/verify-plan.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { context, planOf, problemLines, spec } from './fixtures.ts';

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

test('does not validate a draft against the schema, but validates everything around it', () => {
  expect(verify({ to: 'ana', text: { $draft: 'A greeting' } }).verdict).toBe('ok');
  expect(problemLines(verify({ to: 7, text: { $draft: 'A greeting' } }))).toEqual(at('/to'));
  expect(problemLines(verify({ to: 'ana', text: { $draft: 'A greeting' }, copies: 'two' }))).toEqual(at('/copies'));
  expect(verify({ text: { $draft: 'A greeting' } }).verdict).toBe('replan');
  expect(problemLines(verify({ to: 'ana', text: { $draft: 'A greeting' }, cc: 'eve' }))).toHaveLength(1);
});

test('rejects a draft without a writer', () => {
  const { drafting: _, ...withoutDrafter } = context({ specs: [LOOK, MAIL], catalog: new Map() });
  const plan = planOf([{ id: 's', tool: 'mail', params: { to: 'ana', text: { $draft: 'A greeting' } } }]);
  const verification = verifyPlan(plan, withoutDrafter, 2);
  expect(verification.problems).toMatchObject([
    { code: 'argument_invalid', path: '/steps/0/params/text', message: expect.stringContaining('nobody writes') },
  ]);
});

test.each<readonly [string, JsonObject]>([
  ['an empty text', { $draft: '' }],
  ['a number as its text', { $draft: 7 }],
  ['an unknown field', { $draft: 'A greeting', model: 'strongest' }],
  ['a source that is no list', { $draft: 'A greeting', using: 'this' }],
  ['another draft as a source', { $draft: 'A greeting', using: [{ $draft: 'A name' }] }],
  ['too many sources', { $draft: 'A greeting', using: Array.from({ length: 21 }, () => 1) }],
])('rejects a draft with %s', (_what, draft) => {
  expect(problemLines(verify({ to: 'ana', text: draft }))).toEqual(at('/text'));
});

test('rejects a value that is both a draft and a binding', () => {
  expect(verify({ to: 'ana', text: { $draft: 'A greeting', $from: 'l', path: '' } }).verdict).toBe('replan');
});

test("a draft's sources have to resolve, like every binding", () => {
  const from = ($from: string, path = '') => ({ to: 'ana', text: { $draft: 'A greeting', using: [{ $from, path }] } });
  expect(verify(from('l', '/name')).verdict).toBe('ok');
  expect(problemLines(verify(from('nobody')))).toEqual(['binding_unresolved /steps/1/params/text/using/0']);
  expect(problemLines(verify(from('s')))).toEqual(['binding_unresolved /steps/1/params/text/using/0']);
});

test('rejects a draft for the tool name of a dispatcher', () => {
  const call = spec('call', { input_schema: { type: 'object' }, unwrap: { tool: '/tool', args: '/args' } });
  const envelope = (params: JsonObject) => verify(params, {}, call);
  expect(problemLines(envelope({ tool: { $draft: 'Whichever' }, args: {} }))).toEqual(at('/tool'));
  expect(problemLines(envelope({ $draft: 'The whole call' } as JsonObject))).toEqual(at(''));
});

test("adds the cost of writing drafts to the plan's projected cost", () => {
  const draftCost = { input_tokens: 500, output_tokens: 100, microusd: 900 };
  const { projected } = verify({ to: 'ana', text: { $draft: 'A greeting' } }, { draftCost });
  expect(projected).toMatchObject({ input_tokens: 500, output_tokens: 100 });
  expect(verify({ to: 'ana', text: 'Hello' }, { draftCost }).projected).toMatchObject({ input_tokens: 0 });
});
