/** Proves that literal arguments are validated and bound ones are compared with their producer's output schema. */
import { describe, expect, test } from 'vitest';
import { known, problemLines, spec, table, verifySteps } from '../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import type { PlanVerification } from './verify-plan.ts';

const order = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    total: { type: 'integer', minimum: 0 },
    note: { type: 'string' },
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
  },
  required: ['id', 'total', 'lines'],
  additionalProperties: false,
};
const refundInput = {
  type: 'object',
  properties: {
    order_id: { type: 'string' },
    amount: { type: 'number', minimum: 0 },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['order_id', 'amount'],
  additionalProperties: false,
};
const specs = [spec('lookup', { output_schema: order }), spec('refund', { input_schema: refundInput }), spec('open')];
const from = ($from: string, path: string): JsonObject => ({ $from, path });
const lookup: PlanStep = { id: 's1', tool: 'lookup' };
const refund = (params: JsonObject, more: Partial<PlanStep> = {}): PlanVerification =>
  verifySteps([lookup, { id: 's2', tool: 'refund', depends_on: ['s1'], params, ...more }], specs);
const place = (path: string): string => `/steps/1/params${path}`;

describe('literals', () => {
  test('are validated, and each problem has its path', () => {
    expect(problemLines(refund({ order_id: 5, tags: ['a', 1], extra: true }))).toEqual([
      `argument_invalid ${place('')}`,
      `argument_invalid ${place('/extra')}`,
      `argument_invalid ${place('/order_id')}`,
      `argument_invalid ${place('/tags/1')}`,
    ]);
    expect(refund({ order_id: 'o', amount: 1 }).verdict).toBe('ok');
  });

  test('missing params count as an empty object', () => {
    const verification = verifySteps([{ id: 's1', tool: 'refund' }], specs);
    expect(problemLines(verification)).toEqual([
      'argument_invalid /steps/0/params',
      'argument_invalid /steps/0/params',
    ]);
  });
});

describe('bindings', () => {
  test('that always fit are proven', () => {
    const verification = refund({
      order_id: from('s1', '/id'),
      amount: from('s1', '/total'),
      tags: [from('s1', '/id'), 'x'],
    });
    expect(verification).toMatchObject({ verdict: 'ok', unproven: [] });
  });

  test('that cannot fit are refused at their path, as are invalid literals next to them', () => {
    const verification = refund({ order_id: from('s1', '/total'), amount: 'much', tags: [from('s1', '/lines')] });
    expect(problemLines(verification)).toEqual([
      `binding_type_mismatch ${place('/order_id')}`,
      `argument_invalid ${place('/amount')}`,
      `binding_type_mismatch ${place('/tags/0')}`,
    ]);
    expect(verification.problems[0]?.message).toBe('step s2: what s1/total supplies must be string, is number');
  });

  test('that may fit are left to dispatch: optional fields, open schemas, list items', () => {
    const verification = verifySteps(
      [
        lookup,
        { id: 's2', tool: 'open', depends_on: ['s1'], params: { note: from('s1', '/note') } },
        { id: 's3', tool: 'open', depends_on: ['s1'], params: { sku: from('s1', '/lines/0/sku') } },
        { id: 's4', tool: 'refund', depends_on: ['s3'], params: { order_id: from('s3', '/id'), amount: 1 } },
      ],
      specs,
    );
    expect(verification.verdict).toBe('ok');
    expect(verification.unproven).toEqual([
      { step_id: 's2', path: '/steps/1/params/note', from: 's1', from_path: '/note' },
      { step_id: 's3', path: '/steps/2/params/sku', from: 's1', from_path: '/lines/0/sku' },
      { step_id: 's4', path: '/steps/3/params/order_id', from: 's3', from_path: '/id' },
    ]);
  });

  // biome-ignore format: a table is read by its columns, one row a line
  const unresolved: readonly (readonly [string, Json])[] = [
    ['a path the producer cannot have', from('s1', '/price')],
    ['a path through a scalar', from('s1', '/total/cents')],
    ['a field of a list', from('s1', '/lines/first')],
    ['a step nobody knows', from('s9', '/id')],
    ['a pointer that is none', from('s1', 'id')],
    ['a binding without a path', { $from: 's1' }],
    ['a binding with more than a path', { $from: 's1', path: '/id', default: 'x' }],
    ['a binding to a number', { $from: 1, path: '/id' }],
  ];
  test.each(unresolved)('refuses %s as unresolved', (_name, binding) => {
    expect(problemLines(refund({ order_id: binding, amount: 1 }))).toEqual([
      `binding_unresolved ${place('/order_id')}`,
    ]);
  });

  test('may supply all arguments at once', () => {
    const supplier = { ...spec('give', { output_schema: refundInput }) };
    const steps = [
      { id: 's1', tool: 'give' },
      { id: 's2', tool: 'refund', depends_on: ['s1'], params: from('s1', '') },
    ];
    expect(verifySteps(steps, [...specs, supplier])).toMatchObject({ verdict: 'ok', unproven: [] });
    expect(problemLines(refund(from('s1', '/id')))).toEqual([`binding_type_mismatch ${place('')}`]);
  });

  test('to a step with an unknown tool cause no second problem', () => {
    const steps = [
      { id: 's1', tool: 'teleport' },
      { id: 's2', tool: 'refund', depends_on: ['s1'], params: { order_id: from('s1', '/id'), amount: from('s9', '') } },
    ];
    expect(problemLines(verifySteps(steps, specs))).toEqual([
      'hallucinated_capability /steps/0/tool',
      `binding_unresolved ${place('/amount')}`,
    ]);
  });
});

describe('order of bindings', () => {
  const bound = (id: string, source: string, ...depends_on: string[]): PlanStep => ({
    id,
    tool: 'open',
    depends_on,
    params: { deep: [{ x: from(source, '') }] },
  });

  test('a step must depend on its producer, directly or transitively', () => {
    expect(verifySteps([lookup, bound('s2', 's1', 's1'), bound('s3', 's1', 's2')], specs).verdict).toBe('ok');
    const unordered = verifySteps([lookup, bound('s2', 's1')], specs);
    expect(problemLines(unordered)).toEqual(['binding_unresolved /steps/1/params/deep/0/x']);
    expect(unordered.problems[0]?.message).toContain('add "s1" to depends_on');
  });

  test('refuses bindings to a later step and to itself, unless the step depends on the later one', () => {
    expect(problemLines(verifySteps([bound('s1', 's2'), { id: 's2', tool: 'open' }], specs))).toEqual([
      'binding_unresolved /steps/0/params/deep/0/x',
    ]);
    expect(problemLines(verifySteps([bound('s1', 's1')], specs))).toEqual([
      'binding_unresolved /steps/0/params/deep/0/x',
    ]);
    expect(verifySteps([bound('s1', 's2', 's2'), { id: 's2', tool: 'open' }], specs).verdict).toBe('ok');
  });

  test('reports only the cycle for steps in or behind one', () => {
    expect(problemLines(verifySteps([bound('s1', 's2', 's2'), bound('s2', 's1', 's1')], specs))).toEqual([
      'dependency_cycle /steps/0/depends_on',
    ]);
    expect(
      problemLines(verifySteps([bound('s1', 's2', 's2'), bound('s2', 's1', 's1'), bound('s3', 's1')], specs)),
    ).toEqual(['dependency_cycle /steps/0/depends_on']);
  });

  test('a value committed by an earlier plan may be used, unless this plan has a step with that id', () => {
    const committed = new Map([['old', { step: { ...lookup, id: 'old' }, output: order }]]);
    const use = (path: string): PlanStep => ({
      id: 's1',
      tool: 'refund',
      params: { order_id: from('old', path), amount: 1 },
    });
    expect(verifySteps([use('/id')], specs, { known: known({ committed }) })).toMatchObject({
      verdict: 'ok',
      unproven: [],
    });
    expect(problemLines(verifySteps([use('/total')], specs, { known: known({ committed }) }))).toEqual([
      'binding_type_mismatch /steps/0/params/order_id',
    ]);
    expect(
      problemLines(verifySteps([use('/id'), { id: 'old', tool: 'lookup' }], specs, { known: known({ committed }) })),
    ).toEqual(['binding_unresolved /steps/0/params/order_id']);
  });
});

describe('allow-lists', () => {
  const guarded = spec('deploy', {
    argument_allow: { region: ['eu', 'us'], size: [{ cpu: 1, ram: 2 }], constructor: [1] },
  });
  const regions = spec('regions', {
    output_schema: {
      type: 'object',
      properties: { any: { type: 'string' }, ours: { enum: ['eu'] }, theirs: { enum: ['ap'] } },
      required: ['any', 'ours', 'theirs'],
    },
  });
  const deploy = (params: JsonObject): PlanVerification =>
    verifySteps(
      [
        { id: 's1', tool: 'regions' },
        { id: 's2', tool: 'deploy', depends_on: ['s1'], params },
      ],
      [guarded, regions],
    );

  verifies('verify:args:allow-list', 'refuses a forbidden argument of a permitted tool', () => {
    const refused = deploy({ region: 'ap', free: 'anything' });
    expect(refused.verdict).not.toBe('ok');
    expect(refused.problems).toMatchObject([{ code: 'argument_not_allowed', path: place('/region'), step_id: 's2' }]);
    expect(deploy({ region: 'eu', size: { ram: 2, cpu: 1 }, free: 'anything' }).verdict).toBe('ok');
    expect(problemLines(deploy({ size: { cpu: 1, ram: 4 } }))).toEqual([`argument_not_allowed ${place('/size')}`]);
    expect(deploy({}).verdict).toBe('ok');
  });

  test('a bound argument is proven to be listed, proven not to be, or checked at dispatch', () => {
    expect(deploy({ region: from('s1', '/ours') })).toMatchObject({ verdict: 'ok', unproven: [] });
    expect(problemLines(deploy({ region: from('s1', '/theirs') }))).toEqual([
      `argument_not_allowed ${place('/region')}`,
    ]);
    expect(deploy({ region: from('s1', '/any') })).toMatchObject({
      verdict: 'ok',
      unproven: [{ step_id: 's2', from_path: '/any' }],
    });
    expect(problemLines(deploy({ region: 'ap', free: from('s1', '/any') }))).toEqual([
      `argument_not_allowed ${place('/region')}`,
    ]);
  });

  test('checkArguments applies schema and allow-list to the values at dispatch, for any number of arguments', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]));
    const tools = table([guarded, ...specs]);
    expect(tools.checkArguments('deploy', { ...many, region: 'ap' })).toMatchObject([
      { code: 'argument_not_allowed', path: '/region' },
    ]);
    expect(tools.checkArguments('deploy', { ...many, region: 'us' })).toEqual([]);
    expect(tools.checkArguments('refund', { order_id: 'o' })).toMatchObject([{ code: 'argument_invalid', path: '' }]);
  });
});
