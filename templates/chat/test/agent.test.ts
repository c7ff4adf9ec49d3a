import { test } from 'node:test';
import { scenario } from 'ambit/testing';
import { helpdesk } from '../src/agent.ts';
import { script } from '../src/script.ts';

test('answers two messages of one thread from the results of the tool', async () => {
  await scenario(helpdesk, { model: script })
    .say('Where is order ord_881?')
    .expectCall('orders.lookup', { order_id: 'ord_881' })
    .expectText('The status of order ord_881 is shipped.')
    .expectEnd('SUCCESS')
    .say('And ord_882?')
    .expectText('The status of order ord_882 is packed.')
    .expectEnd('SUCCESS')
    .run();
});

test('calls nothing for a message that no tool serves', async () => {
  await scenario(helpdesk, { model: script })
    .say('Write a poem about mugs')
    .expectNoCall()
    .expectEnd('SUCCESS', 'declined')
    .run();
});
