import { test } from 'node:test';
import { scenario } from 'ambit/testing';
import { support } from '../src/agent.ts';
import { script } from '../src/script.ts';

test('refunds what a person has approved', async () => {
  await scenario(support, { model: script })
    .say('Refund order ord_881')
    .expectCall('orders.lookup', { order_id: 'ord_881' })
    .expectGate('GATE_REFUND')
    .expectCall('payments.refund', { order_id: 'ord_881', amount_cents: 4200 })
    .approve()
    .expectText('Order ord_881 is refunded.')
    .expectEnd('SUCCESS')
    .run();
});

test('pays nothing if the person rejects', async () => {
  await scenario(support, { model: script })
    .say('Refund order ord_881')
    .expectGate('GATE_REFUND')
    .reject()
    .expectNoCall('payments.refund')
    .expectEnd('PERMISSION_DENIED', 'approval_rejected')
    .run();
});

test('lets no user without the role refund', async () => {
  await scenario(support, { model: script, user: { name: 'eve', tenant: 'shop' } })
    .say('Refund order ord_881')
    .expectNoCall('payments.refund')
    .expectEnd('PERMISSION_DENIED')
    .run();
});
