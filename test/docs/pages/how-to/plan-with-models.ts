import { deepEqual, equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, tool } from '../../../../src/index.ts';
import { scriptedModel } from '../../../../src/testing/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, boundary, customer, plan, QUESTION, serveAnthropic, step, stopServer, written } from '../parts.ts';

export const run: PageFixture = async ({ load, read }) => {
  const server = await serveAnthropic(plan(step('customer')), { value_1: 'We are sorry about order ord_881.' });
  const { planner } = await load(1);
  const planned = await ambit({ agent: written({ planner, tools: [customer] }) }).invoke(QUESTION);
  equal(planned.terminalCode, 'SUCCESS');

  const { planner: stepwise } = await load(2);
  const model = scriptedModel([plan(step('customer'))]);
  const known = { id: 'known', statement: 'The plan is known.', evidence: 'customer' };
  const intents = [{ intent: 'ask', description: 'Answer questions about the plan', criteria: [known] }];
  const decided = await ambit({ agent: written({ planner: stepwise(model), tools: [customer], intents }) }).invoke(
    QUESTION,
  );
  equal(decided.terminalCode, 'SUCCESS', JSON.stringify(decided));

  const { runtime } = await load(3);
  const sent: object[] = [];
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks an order up',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ customer: z.object({ email: z.string() }), order: z.object({ id: z.string() }) }),
    execute: () => ({ customer: { email: 'ada@example.com' }, order: { id: 'ord_881' } }),
    risk: { trusted: true },
  });
  const mail = tool({
    name: 'send_mail',
    description: 'Sends a mail',
    approvalMode: 'local_write',
    inputSchema: z.object({ to: z.string(), text: z.string() }),
    outputSchema: z.object({ sent_to: z.string() }),
    execute: (input) => {
      sent.push(input);
      return { sent_to: input.to };
    },
  });
  const agent = written(
    {
      tools: [lookUp, mail],
      boundary: boundary(['look_up', 'send_mail']),
      settings: { roles: { subscriber: 'local_write' } },
    },
    [step('look_up'), JSON.parse(read('json', 1))],
  );
  const outcome = await runtime(agent).invoke({ message: 'Apologise', user: ADA });
  equal(outcome.terminalCode, 'SUCCESS', JSON.stringify(outcome));
  deepEqual(sent, [{ to: 'ada@example.com', text: 'We are sorry about order ord_881.' }]);
  await stopServer(server);
};
