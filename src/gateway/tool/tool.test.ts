/** The registry entry that a declaration produces, and the faults of an invalid one. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../../test/requirements/verifies.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { ToolSpec } from '../../model/tool/tool.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { AnyToolOptions } from './options.ts';
import { tool } from './tool.ts';

const ID = z.object({ refund_id: z.string() });
const getRefund = tool({
  name: 'payments.get_refund',
  description: 'Look a refund up',
  approvalMode: 'read_only',
  inputSchema: ID,
  outputSchema: z.object({ amount_cents: z.int() }),
  execute: () => ({ amount_cents: 1 }),
});
const cancelRefund = tool({
  name: 'payments.cancel_refund',
  description: 'Take a refund back',
  approvalMode: 'destructive',
  inputSchema: ID,
  outputSchema: z.object({}),
  execute: () => ({}),
});

const PLAIN: AnyToolOptions = deepFreeze({
  name: 'plain',
  description: 'Plain',
  approvalMode: 'read_only',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  execute: () => ({}),
});

function faultOf(options: object): Fault {
  try {
    tool({ ...PLAIN, ...options } as AnyToolOptions);
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error('the tool was accepted');
}

describe('a declared tool', () => {
  test('has every option in its registry entry', () => {
    const refund = tool({
      name: 'payments.issue_refund',
      description: 'Refund an order',
      version: '3',
      approvalMode: 'destructive',
      inputSchema: z.object({ order_id: z.string(), amount_cents: z.int().positive() }),
      outputSchema: z.object({ refund_id: z.string() }),
      execute: () => ({ refund_id: 'rf_1' }),
      effects: {
        idempotency: { kind: 'key', retentionMs: 86_400_000 },
        verify: { probe: getRefund, expect: (input, found) => found.amount_cents === input.amount_cents },
        reconcile: { probe: getRefund, args: ({ idempotencyKey }) => ({ refund_id: idempotencyKey }) },
        compensate: cancelRefund,
        produces: ['refund'],
        needs: ['order'],
        equivalents: ['payments.refund_by_hand'],
      },
      limits: {
        timeoutMs: 5_000,
        retries: 1,
        rate: { calls: 10, perMs: 1_000 },
        concurrency: 2,
        payloadMaxBytes: 4_096,
        external: true,
      },
      risk: {
        category: 'live_api',
        gates: ['GATE_FINANCE_APPROVAL'],
        trusted: true,
        cost: { microusd: 300 },
        blastRadius: 'one order',
        rollback: 'cancel the refund within an hour',
        sensitive: ['/amount_cents'],
        unwrap: { tool: '/tool', args: '/args' },
      },
      rules: {
        action: 'refund',
        allow: { order_id: ['ord_1'] },
        category: { operation: { at: '/order_id', free: ['ord_0'] } },
        asserts: [{ type: 'refund', subject: '/order_id', values: { id: '/refund_id' } }],
      },
    });
    expect(refund.spec).toEqual({
      name: 'payments.issue_refund',
      version: '3',
      description: 'Refund an order',
      approval_mode: 'destructive',
      category: 'live_api',
      input_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          order_id: { type: 'string' },
          amount_cents: { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        },
        required: ['order_id', 'amount_cents'],
        additionalProperties: false,
      },
      output_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { refund_id: { type: 'string' } },
        required: ['refund_id'],
      },
      active: true,
      external: true,
      side_effect: true,
      trusted: true,
      gates: ['GATE_FINANCE_APPROVAL'],
      produces: ['refund'],
      needs: ['order'],
      idempotency: { kind: 'key', retention_ms: 86_400_000 },
      timeout_ms: 5_000,
      retries_max: 1,
      cost: { input_tokens: 0, output_tokens: 0, microusd: 300 },
      argument_allow: { order_id: ['ord_1'] },
      equivalents: ['payments.refund_by_hand'],
      limits: { rate: { calls: 10, per_ms: 1_000 }, concurrency: 2, payload_max_bytes: 4_096 },
      hazards: {
        blast_radius: 'one order',
        rollback: 'cancel the refund within an hour',
        sensitive: ['/amount_cents'],
        action: 'refund',
      },
      probes: { verify: 'payments.get_refund', reconcile: 'payments.get_refund', compensate: 'payments.cancel_refund' },
      unwrap: { tool: '/tool', args: '/args' },
      rules: { operation: { at: '/order_id', free: ['ord_0'] } },
      asserts: [{ type: 'refund', subject: '/order_id', values: { id: '/refund_id' } }],
    });
    expect(Object.isFrozen(refund.spec)).toBe(true);
    expect(refund.companions?.map(({ spec }) => spec.name)).toEqual(['payments.get_refund', 'payments.cancel_refund']);
    const made = { args: { order_id: 'ord_1', amount_cents: 5 }, idempotencyKey: 'k', result: { refund_id: 'rf_1' } };
    expect(refund.probing?.verify?.args(made)).toEqual({ refund_id: 'rf_1' });
    expect(refund.probing?.verify?.expect(made.args, { amount_cents: 5 })).toBe(true);
    expect(refund.probing?.verify?.expect(made.args, { amount_cents: 6 })).toBe(false);
    expect(refund.probing?.reconcile?.args({ ...made, result: null })).toEqual({ refund_id: 'k' });
    expect(refund.probing?.compensate?.args(made)).toEqual({ refund_id: 'rf_1' });
  });

  test.each<[AnyToolOptions['approvalMode'], Partial<ToolSpec>]>([
    ['read_only', { side_effect: false, idempotency: { kind: 'natural' }, gates: [], retries_max: 2, external: false }],
    ['local_write', { side_effect: true, idempotency: { kind: 'none' }, gates: [], retries_max: 0, external: false }],
    ['network', { side_effect: true, gates: ['GATE_MODE_APPROVAL'], external: true }],
    ['delegated', { side_effect: true, gates: ['GATE_MODE_APPROVAL'], external: true }],
    ['destructive', { side_effect: true, gates: ['GATE_MODE_APPROVAL'], retries_max: 0, trusted: false }],
  ])('%s without further options gets the strictest safe defaults', (approvalMode, expected) => {
    const { spec } = tool({ ...PLAIN, approvalMode });
    expect(spec).toMatchObject({ approval_mode: approvalMode, trusted: false, ...expected });
    expect(ToolSpec.safeParse(spec).success).toBe(true);
  });
});

verifies('gateway:registry:mode-required', 'refuses a tool without a known approval mode', () => {
  const { approvalMode: _, ...undeclared } = PLAIN;
  for (const options of [undeclared, { ...PLAIN, approvalMode: 'maybe' }, { ...PLAIN, approvalMode: 'toString' }]) {
    const declare = (): BoundTool => tool(options as AnyToolOptions);
    expect(declare).toThrow(expect.objectContaining({ code: 'approval_mode_undeclared', path: '/approvalMode' }));
    expect(declare).toThrow('read_only, local_write, network, delegated, destructive');
  }
});

describe('a declaration is refused', () => {
  test.each<[string, object, string, string]>([
    ['with side effects and read_only', { effects: { sideEffect: true } }, '/effects/sideEffect', 'local_write'],
    [
      'with a compensation for a read_only tool',
      { effects: { compensate: cancelRefund } },
      '/effects/compensate',
      'drop compensate',
    ],
    [
      'with a probe that acts',
      { approvalMode: 'network', effects: { reconcile: { probe: cancelRefund } } },
      '/effects/reconcile/probe',
      'must be read_only',
    ],
    ['with a missing probe', { effects: { verify: { expect: () => true } } }, '/effects/verify/probe', 'give'],
    [
      'with a verify probe without expect',
      { effects: { verify: { probe: getRefund } } },
      '/effects/verify/expect',
      'expect',
    ],
    ['without code', { execute: 'later' }, '/execute', 'give the function'],
    ['with an unknown option', { limits: { timeout: 5 } }, '/limits/timeout', 'timeoutMs'],
    ['with a group that is no object', { risk: 'high' }, '/risk', 'category'],
    ['without a schema', { inputSchema: undefined }, '/inputSchema', 'is missing'],
    ['with an invalid schema', { outputSchema: 'text' }, '/outputSchema', 'JSON Schema'],
    ['with arguments that are no object', { inputSchema: z.string() }, '/inputSchema', 'arguments are an object'],
    [
      'with a transform',
      { inputSchema: z.object({ a: z.string().transform(Number) }) },
      '/inputSchema',
      'in execute()',
    ],
    ['with a date', { inputSchema: z.object({ a: z.date() }) }, '/inputSchema', 'Date'],
    [
      'with a value that is converted',
      { inputSchema: z.object({ a: z.string().transform(Number).pipe(z.number()) }) },
      '/inputSchema',
      'becomes "number"',
    ],
    [
      'with rules that its category does not know',
      { risk: { category: 'vector_retrieval' }, rules: { category: { corpora: 'all' } } },
      '/corpus',
      'rules of plain (vector_retrieval)',
    ],
    ['of a category that needs rules, without any', { risk: { category: 'file_system' } }, '/rules', 'has no rules'],
    ['with a timeout of more than a day', { limits: { timeoutMs: 90_000_000 } }, '/timeout_ms', 'plain'],
    ['with an invalid name', { name: 'a b\u0000' }, '/name', 'name'],
  ])('%s', (_name, options, path, fix) => {
    const fault = faultOf(options);
    expect(fault).toMatchObject({ code: 'input_invalid', path });
    expect(fault.message).toContain(fix);
  });

  test('with all of its faults in one message', () => {
    const fault = faultOf({ approvalMode: 'maybe', execute: 1, inputSchema: z.string(), rules: { allowed: [] } });
    expect(fault.message.split('\n')).toHaveLength(5);
    expect(fault.code).toBe('approval_mode_undeclared');
  });
});

test('keeps examples in the registry entry and validates their form', () => {
  const examples = [{ use: 'the usual one', params: { id: { $from: 's1', path: '/id' } } }];
  expect(tool({ ...PLAIN, examples }).spec.examples).toEqual(examples);
  expect(tool(PLAIN).spec).not.toHaveProperty('examples');
  expect(faultOf({ examples: [{ use: '', params: {} }] }).message).toContain('examples/0/use');
});

test('refuses an example that the schema would refuse, except for values from earlier steps', () => {
  const inputSchema = z.strictObject({ id: z.string(), count: z.int() });
  const with_ = (params: object): object => ({ inputSchema, examples: [{ use: 'so', params }] });
  expect(faultOf(with_({ id: 'a', count: 'two' }))).toMatchObject({
    code: 'input_invalid',
    path: '/examples/0/params/count',
    message: expect.stringContaining('would refuse its own example'),
  });
  expect(faultOf(with_({ id: { $from: 's1', path: '/id' }, count: 'two' })).path).toBe('/examples/0/params/count');
  const bound = { ...PLAIN, ...with_({ id: { $from: 's1', path: '/id' }, count: 2 }) } as AnyToolOptions;
  expect(tool(bound).spec.examples).toHaveLength(1);
  const drafted = { ...PLAIN, ...with_({ id: { $draft: 'A name' }, count: 2 }) } as AnyToolOptions;
  expect(tool(drafted).spec.examples).toHaveLength(1);
});
