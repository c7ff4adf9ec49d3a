import { deepEqual, equal } from 'node:assert/strict';
import { z } from 'zod';
import { templatePlanner, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, customer, gateOf, plan, QUESTION, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load, read }) => {
  read('yaml', 1); // load(1) reads both files as a pack
  read('yaml', 2);
  const { finops } = await load(1);
  const planner = templatePlanner({ ask: { plan_id: 'plan_1', intent: 'ask', ...plan(step('customer')) } as never });
  const options = { name: 'billing', planner, tools: [customer], boundary: 'customer_support', budget: 'standard' };
  const runtime = finops(options);
  const { runId, terminalCode } = await runtime.invoke({ ...QUESTION, user: { name: 'ada', tenant: 'tenant_acme' } });
  equal(terminalCode, 'SUCCESS');
  const [frame] = await runtime.records.frames(runId);
  equal(JSON.stringify(frame).includes('finops@3.1.0'), true);

  const { remembering } = await load(2);
  const order = tool({
    name: 'orders.lookup',
    description: 'Looks an order up',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ total_cents: z.int() }),
    execute: () => ({ total_cents: 4200 }),
    effects: { produces: ['order'] },
    risk: { trusted: true },
  });
  const keeping = remembering(
    written({ tools: [order], budget: { profile: 'standard', memoryWritesMax: 1 } }, [step('orders.lookup')]),
  );
  const kept = await keeping.invoke({ message: 'What does my order cost?', user: ADA });
  const { gateId, packetHash } = gateOf(kept);
  const credential = { kind: 'local_operator', name: 'bo' } as const;
  const { text } = await keeping.approve(gateId, { packetHash, credential, reason: 'within policy' });
  equal(text, 'Total: 42.00.');
  const entries = await keeping.memory.list('tenant_acme');
  deepEqual(
    entries.map(({ entry }: { entry: { value: unknown } }) => entry.value),
    [{ total_cents: 4200 }],
  );
};
