import { deepEqual, equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, answer, QUESTION, serveAnthropic, step, stopServer, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const unproven = answer('You are one of our Pro subscribers.', ['ev_1', '/plan']);
  const server = await serveAnthropic(answer('You are on the Pro plan.', ['ev_1', '/plan']), unproven, unproven, {
    verdicts: [{ supported: true, reason: 'the plan is Pro' }],
  });
  const { withComposer } = await load(1);
  const composed = await withComposer(written()).invoke(QUESTION);
  equal(composed.text, 'You are on the Pro plan.');
  const { withJudge } = await load(2);
  const judged = await withJudge(written()).invoke(QUESTION);
  deepEqual(
    judged.sentences.map(({ text, released_by }: Record<string, string>) => [text, released_by]),
    [['You are one of our Pro subscribers.', 'judge']],
  );
  await stopServer(server);

  const { account } = await load(3);
  const invoice = tool({
    name: 'invoice',
    description: 'Looks up the last invoice of a customer',
    approvalMode: 'read_only',
    inputSchema: z.object({ customer_id: z.string() }),
    outputSchema: z.object({ number: z.string(), total_cents: z.int(), currency: z.string(), paid_on: z.string() }),
    execute: () => ({ number: 'INV-7', total_cents: 4990, currency: 'EUR', paid_on: '2026-05-03' }),
  });
  const asked = { customer_id: 'cus_1' };
  const steps = [step('account', asked, 'a'), step('invoice', asked, 'b')];
  const runtime = ambit({ agent: written({ tools: [account, invoice] }, steps) });
  const { text } = await runtime.invoke({ message: 'Which plan am I on, and what did I pay?', user: ADA });
  console.log(text);
};
