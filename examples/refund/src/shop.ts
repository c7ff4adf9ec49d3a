import type { BoundTool, JsonObject, ToolSpec } from 'ambit';

/** A shop small enough to read: orders, a refund policy, and a payment provider that counts what it was told to do. */
export interface Shop {
  readonly tools: readonly BoundTool[];
  /** Refunds by idempotency key. The same key twice is one refund. */
  readonly refunds: ReadonlyMap<string, JsonObject>;
}

const FREE = { input_tokens: 0, output_tokens: 0, microusd: 0 };

const spec = (name: string, rest: Partial<ToolSpec>): ToolSpec => ({
  name,
  version: '1',
  description: name,
  approval_mode: 'read_only',
  category: 'live_api',
  input_schema: { type: 'object' },
  output_schema: { type: 'object' },
  active: true,
  external: false,
  side_effect: false,
  trusted: true,
  gates: [],
  produces: [],
  needs: [],
  idempotency: { kind: 'natural' },
  timeout_ms: 10_000,
  retries_max: 2,
  cost: FREE,
  ...rest,
});

const cents = { type: 'integer', minimum: 1 };
const text = { type: 'string', minLength: 1 };

export function openShop(): Shop {
  const orders = new Map<string, JsonObject>([
    ['ord_881', { order_id: 'ord_881', total_cents: 4200, delivered: true, damaged: true }],
    ['ord_882', { order_id: 'ord_882', total_cents: 99_000, delivered: true, damaged: false }],
  ]);
  const refunds = new Map<string, JsonObject>();

  const lookup: BoundTool = {
    spec: spec('adp_orders.lookup', {
      description: 'Look an order up',
      input_schema: {
        type: 'object',
        properties: { order_id: text },
        required: ['order_id'],
        additionalProperties: false,
      },
      output_schema: {
        type: 'object',
        properties: {
          order_id: text,
          total_cents: cents,
          delivered: { type: 'boolean' },
          damaged: { type: 'boolean' },
        },
        required: ['order_id', 'total_cents', 'delivered', 'damaged'],
        additionalProperties: false,
      },
      produces: ['order'],
    }),
    execute: ({ order_id }) => orders.get(String(order_id)),
  };

  const policy: BoundTool = {
    spec: spec('adp_policy.eval', {
      description: 'Say whether the refund policy covers an order',
      category: 'read_only_lookup',
      input_schema: {
        type: 'object',
        properties: { order_id: text, total_cents: cents, damaged: { type: 'boolean' } },
        required: ['order_id', 'total_cents', 'damaged'],
        additionalProperties: false,
      },
      output_schema: {
        type: 'object',
        properties: { allowed: { type: 'boolean' }, amount_cents: cents, rule: text },
        required: ['allowed', 'amount_cents', 'rule'],
        additionalProperties: false,
      },
      produces: ['policy'],
    }),
    execute: ({ total_cents, damaged }) => ({
      allowed: damaged === true,
      amount_cents: Number(total_cents),
      rule: 'damaged goods are refunded in full',
    }),
  };

  const refund: BoundTool = {
    spec: spec('adp_payments.issue_refund', {
      description: 'Refund an order to its original payment method',
      approval_mode: 'destructive',
      category: 'payment',
      side_effect: true,
      gates: ['GATE_FINANCE_APPROVAL'],
      idempotency: { kind: 'key', retention_ms: 86_400_000 },
      input_schema: {
        type: 'object',
        properties: { order_id: text, amount_cents: cents },
        required: ['order_id', 'amount_cents'],
        additionalProperties: false,
      },
      output_schema: {
        type: 'object',
        properties: { refund_id: text, order_id: text, amount_cents: cents },
        required: ['refund_id', 'order_id', 'amount_cents'],
        additionalProperties: false,
      },
      produces: ['refund'],
    }),
    execute: (args, { idempotencyKey }) => {
      const refunded = refunds.get(idempotencyKey) ?? { refund_id: `rf_${refunds.size + 1}`, ...args };
      refunds.set(idempotencyKey, refunded);
      return refunded;
    },
  };

  return { tools: [lookup, policy, refund], refunds };
}
