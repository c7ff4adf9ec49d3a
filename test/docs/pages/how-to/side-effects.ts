import { deepEqual, equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, answer, gateOf, plan, scripted, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { issueRefund } = await load(1);
  const script = [
    plan(step('payments.issue_refund', { order_id: 'ord_881' })),
    answer('The refund id is refund_of_ord_881.', ['ev_1', '/refund_id']),
  ];
  const agent = scripted([...script, ...script], { tools: [issueRefund] });
  const runtime = ambit({ agent });
  const refund = { message: 'Refund order ord_881', user: ADA };
  const { gateId, packetHash } = gateOf(await runtime.invoke(refund));
  const credential = { kind: 'local_operator', name: 'bo' } as const;
  const outcome = await runtime.approve(gateId, { packetHash, credential, reason: 'within policy' });
  equal(outcome.terminalCode, 'SUCCESS', JSON.stringify(outcome));

  const { effects } = await load(2);
  const price = (name: string, execute: () => { cents: number }, options: object = {}) =>
    tool({
      name,
      description: 'Looks a price up',
      approvalMode: 'read_only',
      inputSchema: z.object({}),
      outputSchema: z.object({ cents: z.int() }),
      execute,
      risk: { trusted: true },
      ...options,
    });
  const down = (): never => {
    throw new Error('the shop is down');
  };
  const tools = [price('shop.price', down, { effects }), price('shop.price_backup', () => ({ cents: 420 }))];
  const degraded = await ambit({ agent: written({ tools }, [step('shop.price')]) }).invoke({
    message: 'What does it cost?',
    user: ADA,
  });
  deepEqual(
    degraded.degraded.map(({ tool: name }) => name),
    ['shop.price'],
    JSON.stringify(degraded),
  );

  const { stopRefunds } = await load(3);
  await stopRefunds(runtime);
  const stopped = await runtime.invoke(refund);
  equal(JSON.stringify(stopped).includes('wrong account'), true, JSON.stringify(stopped));
};
