import { equal } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { answer, plan, serveAnthropic, step, stopServer } from '../parts.ts';

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
  await stopServer(server);
  const tested = await page.run(3, ['node', '--test']);
  equal(tested.exit, 0, tested.stdout);
  const config = await page.load(4);
  equal(config['default'].agents[0], billing);
};
