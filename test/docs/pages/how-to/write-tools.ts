import { deepEqual, equal } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { ambit, modelProfile, tool } from '../../../../src/index.ts';
import { scriptedModel } from '../../../../src/testing/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, answer, boundary, gateOf, plan, scripted, step, written } from '../parts.ts';

/** Answers the condition of `customer_support` for refunds. */
const lookUp = tool({
  name: 'orders.lookup',
  description: 'Look an order up',
  approvalMode: 'read_only',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ order_id: z.string(), holder: z.string() }),
  execute: ({ order_id }, { actor }) => ({ order_id, holder: actor }),
  effects: { produces: ['order'] },
  risk: { trusted: true },
  conditions: { account_holder: '/holder' },
});

export const run: PageFixture = async ({ load }) => {
  const received: unknown[] = [];
  const logged: string[] = [];
  const payments = createServer(async (request, response) => {
    received.push([
      request.headers.authorization,
      request.url,
      ((await json(request)) as Record<string, unknown>)['order_id'],
    ]);
    response.end(JSON.stringify({ refund_id: 're_1', amount_cents: 4200 }));
  }).listen(0, '127.0.0.1');
  await once(payments, 'listening');
  process.env['PAYMENTS_URL'] = `http://127.0.0.1:${(payments.address() as AddressInfo).port}`;

  const { issueRefund } = await load(1);
  const { withSecrets } = await load(2);
  const params = { order_id: 'ord_881', amount_cents: 4200 };
  const agent = scripted(
    [
      plan(step('orders.lookup', { order_id: 'ord_881' }), {
        ...step('payments.issue_refund', params, 's2'),
        depends_on: ['s1'],
      }),
      answer('The amount is 42.00.', ['ev_2', '/amount_cents']),
    ],
    { tools: [lookUp, issueRefund] },
  );
  const runtime = withSecrets(
    agent,
    async (path: string) => ({ token: `token of ${path}` }),
    (line: { message: string }) => logged.push(line.message),
  );
  const waiting = gateOf(await runtime.invoke({ message: 'Refund 4200 cents of order ord_881', user: ADA }));
  const { gateId, packetHash } = waiting;
  const credential = { kind: 'local_operator', name: 'bo' } as const;
  const outcome = await runtime.approve(gateId, { packetHash, credential, reason: 'within policy' });
  equal(outcome.terminalCode, 'SUCCESS', JSON.stringify(outcome));
  deepEqual(received, [
    ['Bearer token of tenant_acme/ada/payments.issue_refund/payments.issue_refund', '/refunds', 'ord_881'],
  ]);
  deepEqual(logged, ['refunding an order']);
  payments.close();

  const { printLabel } = await load(3);
  const found = { ...step('orders.lookup', { order_id: 'ord_881' }), context_key: 'found' };
  const label = { ...step('labels.print', { size: 'A6' }, 's2'), inputs: ['found'] };
  const printing = scripted([plan(found, label), answer('The label is printed.', ['ev_2', '/label'])], {
    tools: [lookUp, printLabel],
  });
  const printed = await ambit({ agent: printing }).invoke({ message: 'Print a label for order ord_881', user: ADA });
  equal(printed.terminalCode, 'SUCCESS', JSON.stringify(printed));

  const { summarize } = await load(4);
  const model = scriptedModel([{ sentence: 'May was good.' }]);
  const summary = summarize(modelProfile(model));
  const steps = [step('text.summarize', { text: 'May was a good month for us.' })];
  const summed = await ambit({
    agent: written({ tools: [summary], boundary: boundary(['text.summarize']) }, steps),
  }).invoke({ message: 'Sum it up', user: ADA });
  equal(summed.terminalCode, 'SUCCESS', JSON.stringify(summed));
  model.assertDrained();
};
