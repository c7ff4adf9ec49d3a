/** Proves that literal arguments are validated, and that bound ones are followed to what their producer can supply. */
import { describe, expect, test } from 'vitest';
import { known, spec, table, told, verifySteps } from '../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { PlanStep } from '../../model/plan.ts';
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
  test('are checked by the validator, each problem at its place', () => {
    expect(told(refund({ order_id: 5, tags: ['a', 1], extra: true }))).toEqual([
      `argument_invalid ${place('')}`,
      `argument_invalid ${place('/extra')}`,
      `argument_invalid ${place('/order_id')}`,
      `argument_invalid ${place('/tags/1')}`,
    ]);
    expect(refund({ order_id: 'o', amount: 1 }).verdict).toBe('ok');
  });

  test('no arguments are an empty object', () => {
    const verification = verifySteps([{ id: 's1', tool: 'refund' }], specs);
    expect(told(verification)).toEqual(['argument_invalid /steps/0/params', 'argument_invalid /steps/0/params']);
  });
});

describe('bindings', () => {
  test('that fit are proven', () => {
    const verification = refund({
      order_id: from('s1', '/id'),
      amount: from('s1', '/total'),
      tags: [from('s1', '/id'), 'x'],
    });
    expect(verification).toMatchObject({ verdict: 'ok', unproven: [] });
  });

  test('that cannot fit are refused where they stand, and so are literals beside them', () => {
    const verification = refund({ order_id: from('s1', '/total'), amount: 'much', tags: [from('s1', '/lines')] });
    expect(told(verification)).toEqual([
      `binding_type_mismatch ${place('/order_id')}`,
      `argument_invalid ${place('/amount')}`,
      `binding_type_mismatch ${place('/tags/0')}`,
    ]);
    expect(verification.problems[0]?.message).toBe('step s2: what s1/total supplies must be string, is number');
  });

  test('that may fit are left to dispatch: optional fields, open schemas, places in lists', () => {
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
  test.each(unresolved)('%s cannot be resolved', (_name, binding) => {
    expect(told(refund({ order_id: binding, amount: 1 }))).toEqual([`binding_unresolved ${place('/order_id')}`]);
  });

  test('arguments may be bound as a whole', () => {
    const whole = { ...spec('give', { output_schema: refundInput }) };
    const steps = [
      { id: 's1', tool: 'give' },
      { id: 's2', tool: 'refund', depends_on: ['s1'], params: from('s1', '') },
    ];
    expect(verifySteps(steps, [...specs, whole])).toMatchObject({ verdict: 'ok', unproven: [] });
    expect(told(refund(from('s1', '/id')))).toEqual([`binding_type_mismatch ${place('')}`]);
  });

  test('a step whose tool does not exist is not judged twice', () => {
    const steps = [
      { id: 's1', tool: 'teleport' },
      { id: 's2', tool: 'refund', depends_on: ['s1'], params: { order_id: from('s1', '/id'), amount: from('s9', '') } },
    ];
    expect(told(verifySteps(steps, specs))).toEqual([
      'hallucinated_capability /steps/0/tool',
      `binding_unresolved ${place('/amount')}`,
    ]);
  });
});

describe('the order of bindings', () => {
  const bound = (id: string, source: string, ...depends_on: string[]): PlanStep => ({
    id,
    tool: 'open',
    depends_on,
    params: { deep: [{ x: from(source, '') }] },
  });

  test('a producer must be waited for, directly or through others', () => {
    expect(verifySteps([lookup, bound('s2', 's1', 's1'), bound('s3', 's1', 's2')], specs).verdict).toBe('ok');
    const beside = verifySteps([lookup, bound('s2', 's1')], specs);
    expect(told(beside)).toEqual(['binding_unresolved /steps/1/params/deep/0/x']);
    expect(beside.problems[0]?.message).toContain('add "s1" to depends_on');
  });

  test('forward and to itself is refused; a producer listed later but waited for is not', () => {
    expect(told(verifySteps([bound('s1', 's2'), { id: 's2', tool: 'open' }], specs))).toEqual([
      'binding_unresolved /steps/0/params/deep/0/x',
    ]);
    expect(told(verifySteps([bound('s1', 's1')], specs))).toEqual(['binding_unresolved /steps/0/params/deep/0/x']);
    expect(verifySteps([bound('s1', 's2', 's2'), { id: 's2', tool: 'open' }], specs).verdict).toBe('ok');
  });

  test('in a circle only the circle is told', () => {
    expect(told(verifySteps([bound('s1', 's2', 's2'), bound('s2', 's1', 's1')], specs))).toEqual([
      'dependency_cycle /steps/0/depends_on',
    ]);
    expect(told(verifySteps([bound('s1', 's2', 's2'), bound('s2', 's1', 's1'), bound('s3', 's1')], specs))).toEqual([
      'dependency_cycle /steps/0/depends_on',
    ]);
  });

  test('what an earlier plan committed may be used, unless this plan has a step of that name', () => {
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
    expect(told(verifySteps([use('/total')], specs, { known: known({ committed }) }))).toEqual([
      'binding_type_mismatch /steps/0/params/order_id',
    ]);
    expect(
      told(verifySteps([use('/id'), { id: 'old', tool: 'lookup' }], specs, { known: known({ committed }) })),
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

  verifies('verify:args:allow-list', 'a permitted tool with a forbidden argument is refused', () => {
    const refused = deploy({ region: 'ap', free: 'anything' });
    expect(refused.verdict).not.toBe('ok');
    expect(refused.problems).toMatchObject([{ code: 'argument_not_allowed', path: place('/region'), step_id: 's2' }]);
    expect(deploy({ region: 'eu', size: { ram: 2, cpu: 1 }, free: 'anything' }).verdict).toBe('ok');
    expect(told(deploy({ size: { cpu: 1, ram: 4 } }))).toEqual([`argument_not_allowed ${place('/size')}`]);
    expect(deploy({}).verdict).toBe('ok');
  });

  test('a bound argument is proven to be on the list, proven not to be, or checked at dispatch', () => {
    expect(deploy({ region: from('s1', '/ours') })).toMatchObject({ verdict: 'ok', unproven: [] });
    expect(told(deploy({ region: from('s1', '/theirs') }))).toEqual([`argument_not_allowed ${place('/region')}`]);
    expect(deploy({ region: from('s1', '/any') })).toMatchObject({
      verdict: 'ok',
      unproven: [{ step_id: 's2', from_path: '/any' }],
    });
    expect(told(deploy({ region: 'ap', free: from('s1', '/any') }))).toEqual([
      `argument_not_allowed ${place('/region')}`,
    ]);
  });

  test('at dispatch the same two rules hold for the values in hand, however many arguments there are', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]));
    const tools = table([guarded, ...specs]);
    expect(tools.checkArguments('deploy', { ...many, region: 'ap' })).toMatchObject([
      { code: 'argument_not_allowed', path: '/region' },
    ]);
    expect(tools.checkArguments('deploy', { ...many, region: 'us' })).toEqual([]);
    expect(tools.checkArguments('refund', { order_id: 'o' })).toMatchObject([{ code: 'argument_invalid', path: '' }]);
  });
});
