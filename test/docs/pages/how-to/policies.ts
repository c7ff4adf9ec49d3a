import { equal, match } from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, answer, boundary, gateOf, plan, scripted, step } from '../parts.ts';

export const run: PageFixture = async ({ load, read }) => {
  mkdirSync('own');
  writeFileSync('own/payments.cedar', read('cedar', 1));
  const { bounded } = await load(1);
  const pay = tool({
    name: 'pay',
    description: 'Pays an amount',
    approvalMode: 'destructive',
    inputSchema: z.object({ amount: z.int() }),
    outputSchema: z.object({ amount: z.int() }),
    execute: (input) => input,
    risk: { category: 'payment' },
    rules: { action: 'refund' },
  });
  const agent = scripted([plan(step('pay', { amount: 900 })), answer('The amount is 900.', ['ev_1', '/amount'])], {
    tools: [pay],
    boundary: boundary(['pay']),
    settings: { roles: { support: 'destructive' } },
  });
  const runtime = bounded({ agent }, 'own');
  const outcome = await runtime.invoke({ message: 'Pay 900', user: { ...ADA, roles: ['support'] } });
  equal(outcome.status, 'awaiting_gate');
  equal(gateOf(outcome).name, 'GATE_FINANCE_APPROVAL');
  match(JSON.stringify(await runtime.records.frames(outcome.runId)), /more than 500 needs a second person/);
};
