/** Plan schemas permit exactly the allowed plans, in keywords that every provider supports. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileWithAjv } from '../../test/kernel/verify/ajv.ts';
import { decision, spec } from '../../test/kernel/verify/fixtures.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import type { PlanRequest } from '../ports/model/planner.ts';
import { planFrom } from './plan-answer.ts';
import { planSchemas } from './plan-schema.ts';
import { clarify, respond } from './speaking-tools.ts';

const ORDER: JsonObject = {
  type: 'object',
  properties: {
    order_id: { type: 'string', minLength: 3, pattern: '^ord_' },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    extra: { type: 'object' },
    currency: { type: 'string' },
  },
  required: ['order_id'],
  additionalProperties: false,
  $defs: { line: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
};
const TOOLS = [
  spec('orders.place', { input_schema: ORDER, argument_allow: { currency: ['EUR', 'USD'] } }),
  spec('mail.send', { input_schema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } }),
  respond.spec,
  clarify.spec,
];
const PARTS = { tools: TOOLS, decisions: [decision('place')], mayAnswer: false };

/** The JSON Schema keywords that OpenAI, Anthropic, Google and Mistral all support for structured output. */
const DIALECT = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'anyOf',
  'description',
]);

function keywords(schema: Json, found = new Set<string>()): ReadonlySet<string> {
  if (isJsonList(schema)) for (const each of schema) keywords(each, found);
  if (!isJsonObject(schema)) return found;
  for (const [word, value] of Object.entries(schema)) {
    found.add(word);
    if (word === 'properties' && isJsonObject(value)) for (const each of Object.values(value)) keywords(each, found);
    else if (word === 'items' || word === 'anyOf') keywords(value, found);
  }
  return found;
}

function* objects(schema: Json): Generator<JsonObject> {
  if (isJsonList(schema)) for (const each of schema) yield* objects(each);
  if (!isJsonObject(schema)) return;
  if (schema['type'] === 'object') yield schema;
  for (const value of Object.values(schema)) yield* objects(value);
}

const tightest = (parts = PARTS): JsonObject => planSchemas(parts)[0]?.json ?? {};

const step = (tool: string, params: Json, more: JsonObject = {}): JsonObject => ({
  id: 's1',
  tool,
  task_objective: 'do it',
  params,
  depends_on: [],
  context_key: null,
  inputs: [],
  success_criteria: null,
  ...more,
});
const place = (changes: JsonObject): JsonObject =>
  step('orders.place', { order_id: 'ord_1', lines: null, note: null, extra: null, currency: null, ...changes });

function accepts(schema: JsonObject, ...steps: readonly Json[]): boolean {
  return compileWithAjv(schema)({ steps, decision_checkpoints: [] }).length === 0;
}

describe('the schema dialect', () => {
  test('uses only common keywords, closed objects and required properties', () => {
    for (const { json } of planSchemas(PARTS)) {
      for (const word of keywords(json)) expect(DIALECT).toContain(word);
      for (const { properties, required, additionalProperties } of objects(json)) {
        expect(additionalProperties).toBe(false);
        expect(required).toEqual(Object.keys(properties as JsonObject));
      }
    }
  });
});

describe('the strictest schema', () => {
  test('accepts a step of each tool, with values or bindings anywhere', () => {
    const schema = tightest();
    expect(accepts(schema, place({}))).toBe(true);
    expect(accepts(schema, place({ lines: [{ sku: 'a' }], currency: 'EUR', extra: '{"a":1}' }))).toBe(true);
    const bound = { $from: 's0', path: '/x' };
    expect(accepts(schema, place({ order_id: bound, lines: [bound, { sku: bound }], currency: bound }))).toBe(true);
    expect(accepts(schema, step('orders.place', bound))).toBe(true);
    expect(accepts(schema, step('clarify', { question: 'Which?', fields: ['which'] }))).toBe(true);
  });

  test('rejects other tools, other arguments and values outside an allow-list', () => {
    const schema = tightest();
    expect(accepts(schema, step('teleport', {}))).toBe(false);
    expect(accepts(schema, place({ sudo: true }))).toBe(false);
    expect(accepts(schema, place({ order_id: 7 }))).toBe(false);
    expect(accepts(schema, place({ currency: 'GBP' }))).toBe(false);
    expect(accepts(schema, step('mail.send', { order_id: 'ord_1' }))).toBe(false);
    expect(accepts(schema, place({ order_id: { $from: 's0' } }))).toBe(false);
  });

  test('accepts only known decisions, and an answer only if permitted', () => {
    const check = compileWithAjv(tightest());
    expect(check({ steps: [], decision_checkpoints: [{ decision_id: 'place', after_step: 's1' }] })).toEqual([]);
    expect(check({ steps: [], decision_checkpoints: [{ decision_id: 'other', after_step: 's1' }] })).not.toEqual([]);
    expect(check({ steps: [], decision_checkpoints: [], answer: 'so it is' })).not.toEqual([]);
    const answering = compileWithAjv(tightest({ ...PARTS, mayAnswer: true }));
    expect(answering({ steps: [], decision_checkpoints: [], answer: 'so it is' })).toEqual([]);
  });

  test('accepts an empty plan if there are no tools', () => {
    expect(accepts(tightest({ ...PARTS, tools: [] }))).toBe(true);
  });
});

describe('a schema that is too large', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => spec(`tool_${n}`, { input_schema: ORDER }));

  test('falls back to tools by name with arguments as text, then to no names', () => {
    expect(planSchemas(PARTS).map(({ name }) => name)).toEqual(['plan', 'plan_by_name', 'plan_loose']);
    expect(planSchemas({ ...PARTS, tools: many(200) }).map(({ name }) => name)).toEqual(['plan_by_name', 'plan_loose']);
    expect(planSchemas({ ...PARTS, tools: many(600) }).map(({ name }) => name)).toEqual(['plan_loose']);
  });

  test('cuts off a recursive schema', () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { child: { $ref: '#' }, loop: { $ref: '#/properties/loop' } },
      required: ['child'],
      additionalProperties: false,
    };
    const [first] = planSchemas({ ...PARTS, tools: [spec('tree', { input_schema: tree })] });
    expect(first?.name).toBe('plan');
    expect(JSON.stringify(first?.json)).toContain('written as JSON');
  });
});

describe('reading a plan', () => {
  const goal = { statement: 'Do it', intent: 'work' };
  const done = [{ step: { id: 'd1', tool: 'pay' }, evidenceId: 'ev_1', value: null, trusted: true }];
  const request = { ...PARTS, attempt: 1, goal, done } as unknown as PlanRequest;
  const params = (answer: Json): Json => {
    const plan = planFrom({ steps: [answer] }, request) as { readonly steps: readonly { readonly params?: Json }[] };
    return plan.steps[0]?.params ?? null;
  };

  test('drops null for an optional argument and keeps null as a value', () => {
    expect(params(place({}))).toEqual({ order_id: 'ord_1', note: null });
  });

  test('parses JSON text', () => {
    expect(params(place({ extra: '{"a":[1]}' }))).toEqual({ order_id: 'ord_1', note: null, extra: { a: [1] } });
    expect(params(step('orders.place', '{"order_id":"ord_1"}'))).toEqual({ order_id: 'ord_1' });
  });

  test('leaves a value that fits nothing for the critic to refuse', () => {
    expect(params(step('orders.place', 'place it!'))).toBe('place it!');
    expect(params(place({ sudo: true }))).toMatchObject({ sudo: true });
  });

  test('unwraps plans, accepts a bare list, and leaves anything else unchanged', () => {
    const steps = [step('respond', { objective: 'tell' })];
    const plain = planFrom({ steps }, request);
    expect(plain).toMatchObject({ plan_id: 'plan_1', intent: 'work', decision_checkpoints: [] });
    for (const wrapped of [steps, { plan: { steps } }, { execution_plan: { steps } }]) {
      expect(planFrom(wrapped, request)).toEqual(plain);
    }
    const question = { kind: 'clarification_request', question: 'Which?', fields: [] };
    expect(planFrom(question, request)).toEqual(question);
    expect(planFrom('prose', request)).toBe('prose');
  });

  test('adds the gates of the registry that the model omits', () => {
    const gated = { ...request, tools: [spec('pay', { gates: ['GATE_FINANCE'] }), respond.spec] };
    const plan = planFrom({ steps: [step('pay', {}, { requires: ['GATE_OWN'] })] }, gated);
    expect(plan).toMatchObject({ steps: [{ requires: ['GATE_OWN', 'GATE_FINANCE'] }, { tool: 'respond' }] });
  });

  test('adds the gates of the decisions that govern the tool', () => {
    const decisions = [
      { decision_id: 'refund', actions: ['pay'], approvals: ['GATE_LEGAL'] },
      { decision_id: 'other', actions: ['mail'], approvals: ['GATE_PRESS'] },
    ];
    const governed = { ...request, decisions } as unknown as PlanRequest;
    expect(planFrom({ steps: [step('pay', {})] }, governed)).toMatchObject({
      steps: [{ requires: ['GATE_LEGAL'] }, {}],
    });
  });

  test('accepts any JSON without a fault, and is idempotent', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (answer) => {
        const once = planFrom(answer as Json, request);
        expect(planFrom(once, request)).toEqual(once);
        const stepped = planFrom({ steps: [answer as Json] }, request);
        expect(planFrom(stepped, request)).toEqual(stepped);
      }),
    );
  });
});
