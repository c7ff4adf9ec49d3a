import type { PageFixture } from '../page.ts';
import { answer, plan, serveAnthropic, step, stopServer } from './parts.ts';

export const run: PageFixture = async ({ load }) => {
  const server = await serveAnthropic(
    plan(step('customer')),
    answer('You are on the Pro plan.', ['ev_1', '/plan']),
    plan(step('invoices'), {
      ...step('credit', { invoice: { $from: 's1', path: '/invoice' }, amount_cents: 500 }, 's2'),
      depends_on: ['s1'],
    }),
    answer('Invoice INV-7 is credited.', ['ev_2', '/invoice'], ['ev_2', '/status']),
  );
  await load(1);
  await load(2);
  await stopServer(server);
};
