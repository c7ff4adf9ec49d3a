/** The refund example under the shipped policies: it passes unchanged, and a denial names what a tool lacks. */
import { ambit, type RunOutcome } from 'ambit';
import { cedarAuthorizer, shippedPolicies } from 'ambit/cedar';
import { expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { refundRequest } from '../../examples/01-refund/src/request.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';

const shipped = { policy: { calls: cedarAuthorizer([...shippedPolicies()]) } };
const lead = { kind: 'local_operator', name: 'user_finance_lead' } as const;

test('waits at the gates of its policies and its tool, and pays once', async () => {
  const shop = openShop();
  const runtime = ambit({ agent: supportAgent(shop.tools), world: shipped });
  const waiting = await runtime.invoke(refundRequest);
  expect(waiting.pending.flatMap(({ gates }) => gates.map(({ name }) => name)).toSorted()).toEqual([
    'GATE_BOUNDARY_APPROVAL',
    'GATE_FINANCE_APPROVAL',
  ]);
  let run: RunOutcome = waiting;
  for (const { gateId, packetHash } of waiting.pending) {
    expect(shop.refunds.size).toBe(0);
    run = await runtime.approve(gateId, { packetHash, credential: lead, reason: 'within policy' });
  }
  expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
  expect(shop.refunds.size).toBe(1);
  await runtime.records.replay(run.runId);
});

test("pays nothing on another customer's account", async () => {
  const shop = openShop();
  const runtime = ambit({ agent: supportAgent(shop.tools), world: shipped });
  const identity = { ...refundRequest.identity, actor: 'customer_bo' };
  const run = await runtime.invoke({ ...refundRequest, identity });
  expect(run.terminalCode).toBe('PERMISSION_DENIED');
  expect(shop.refunds.size).toBe(0);
});
