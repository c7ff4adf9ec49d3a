import type { ToolSpec } from '../../src/model/tool/tool.ts';

/**
 * A tool that touches every counter of a call: it writes, is external, costs tokens and money, supplies evidence, and
 * its answer has a schema.
 */
export const POST_ENTRY: ToolSpec = {
  name: 'ledger.post_entry',
  version: '1',
  description: 'Posts one entry to the ledger',
  approval_mode: 'local_write',
  category: 'live_api',
  input_schema: {
    type: 'object',
    required: ['account', 'amount_cents', 'memo', 'lines'],
    additionalProperties: false,
    properties: {
      account: { type: 'string' },
      amount_cents: { type: 'integer', minimum: 0 },
      memo: { type: 'string' },
      lines: {
        type: 'array',
        items: {
          type: 'object',
          required: ['code', 'cents'],
          properties: { code: { type: 'string' }, cents: { type: 'integer' } },
        },
      },
    },
  },
  output_schema: {
    type: 'object',
    required: ['entry_id', 'account', 'balance_cents'],
    properties: { entry_id: { type: 'string' }, account: { type: 'string' }, balance_cents: { type: 'integer' } },
  },
  active: true,
  external: true,
  side_effect: true,
  trusted: true,
  gates: [],
  produces: ['ledger_entry'],
  needs: [],
  idempotency: { kind: 'key', retention_ms: 86_400_000 },
  timeout_ms: 10_000,
  retries_max: 2,
  cost: { input_tokens: 20, output_tokens: 10, microusd: 5 },
};
