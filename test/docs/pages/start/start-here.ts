import { equal } from 'node:assert/strict';
import { agent, ambit, type BoundTool } from '../../../../src/index.ts';
import { scriptedModel } from '../../../../src/testing/index.ts';
import type { PageFixture } from '../../page.ts';
import { answer, plan, serveAnthropic, step, stopServer } from '../parts.ts';

/** The boundary sends a refund without the lookup back, denies that of another holder, and asks a person about the rest. */
async function refundsAfterTheLookup(tools: readonly BoundTool[]): Promise<void> {
  const refund = plan(step('refund', { invoice: 'INV-7' }));
  const both = plan(step('invoice', { invoice: 'INV-7' }), step('refund', { invoice: 'INV-7' }, 's2'));
  const statusFor = async (name: string, ...turns: readonly object[]): Promise<string> => {
    const own = agent({
      name: 'refunds',
      model: scriptedModel(turns.map((turn) => JSON.stringify(turn))),
      tools,
      boundary: 'customer_support',
      budget: 'standard',
      settings: { roles: { subscriber: 'destructive' } },
    });
    const user = { name, tenant: 'acme', roles: ['subscriber'] };
    const runtime = ambit({ agent: own });
    const { status, reason, pending } = await runtime.invoke({ message: 'Refund INV-7', user });
    const [gate] = pending;
    if (gate === undefined) return `${status} ${reason}`;
    const credential = { kind: 'local_operator', name: 'bo' } as const;
    const decided = await runtime.approve(gate.gateId, { packetHash: gate.packetHash, credential, reason: 'damaged' });
    return `${status}, then ${decided.text}`;
  };
  const refunded = answer('Invoice INV-7 is refunded.', ['ev_2', '/invoice'], ['ev_2', '/status']);
  equal(await statusFor('ada', refund, both, refunded), 'awaiting_gate, then Invoice INV-7 is refunded.');
  equal(await statusFor('eve', both), 'failed condition_not_met');
}

export const run: PageFixture = async (page) => {
  const server = await serveAnthropic(
    plan(step('customer')),
    answer('You are on the Pro plan.', ['ev_1', '/plan']),
    plan(step('credit', { invoice: 'INV-7', amount_cents: 500 })),
    answer('Invoice INV-7 is credited.', ['ev_1', '/invoice'], ['ev_1', '/status']),
  );
  await page.load(1);
  const { billing } = await page.load(2);
  const runtime = ambit({ agent: billing });
  const user = { name: 'ada', tenant: 'acme', roles: ['subscriber'] };
  const answered = await runtime.invoke({ message: 'Which plan am I on?', user });
  equal(answered.text, 'You are on the Pro plan.');
  const { pending } = await runtime.invoke({ message: 'Credit 500 cents to invoice INV-7', user });
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const credential = { kind: 'local_operator', name: 'bo' } as const;
  const { text } = await runtime.approve(gateId, { packetHash, credential, reason: 'late delivery' });
  equal(text, 'Invoice INV-7 is credited.');
  const conditioned = await page.load(5);
  await refundsAfterTheLookup([conditioned['lookUp'], conditioned['refund']]);
  await stopServer(server);
  const tested = await page.run(3, ['node', '--test']);
  equal(tested.exit, 0, tested.stdout);
  const config = await page.load(4);
  equal(config['default'].agents[0], billing);
};
