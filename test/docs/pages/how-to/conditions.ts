import { equal, match } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, type Boundary, type BoundTool, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, gateOf, step, written } from '../parts.ts';

const refund = tool({
  name: 'orders.refund',
  description: 'Refund an order',
  approvalMode: 'destructive',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ refund_id: z.string() }),
  execute: () => ({ refund_id: 're_1' }),
  rules: { action: 'refund' },
});

export const run: PageFixture = async ({ load }) => {
  const { lookUp } = (await load(1)) as { lookUp: BoundTool };
  const { conditions } = (await load(2)) as { conditions: NonNullable<Boundary['tools']['conditions']> };
  const order = { order_id: 'ord_881' };
  const steps = [
    step('orders.lookup', order),
    { ...step('orders.refund', order, 's2'), depends_on: ['s1'], requires: ['GATE_MODE_APPROVAL'] },
  ];
  const request = { message: 'Refund order ord_881', user: ADA };
  const answered = ambit({ agent: written({ tools: [lookUp, refund] }, steps) });
  equal(gateOf(await answered.invoke(request)).name, 'GATE_MODE_APPROVAL');

  const denied = await ambit({ agent: written({ tools: [refund] }, [step('orders.refund', order)]) }).invoke(request);
  equal(denied.terminalCode, 'PERMISSION_DENIED');

  const boundary: Boundary = {
    boundary_id: 'shop',
    version: '1.0.0',
    profile: null,
    observations: {
      permission_scopes: [],
      confirm_scopes: [],
      authority_min: 0,
      personal_data: 'withheld',
      trusted_inputs: {},
    },
    state_writes: { task_state: 'proposed', persistent_memory: 'refused' },
    tools: {
      allowed: ['orders.lookup', 'orders.refund'],
      needs_approval: [],
      mode_max: 'destructive',
      risk_max: 'critical',
      untrusted_arguments: 'shown',
      conditions,
    },
    decision_rights: ['plan'],
    resource_budgets: {},
    escalation_paths: ['operator'],
  };
  const unknown = await ambit({ agent: written({ tools: [lookUp, refund], boundary }, steps) }).invoke(request);
  match(unknown.why.join(), /account_closed/);
};
