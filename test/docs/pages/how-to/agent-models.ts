import { deepEqual, equal } from 'node:assert/strict';
import { ambit } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { answer, customer, plan, QUESTION, scripted, serveAnthropic, step, stopServer } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const told = answer('You are on the Pro plan.', ['ev_1', '/plan']);
  const server = await serveAnthropic(plan(step('customer')), told, plan(step('customer')), told);
  const { billing } = await load(1);
  const outcome = await ambit({ agent: billing([customer]) }).invoke(QUESTION);
  equal(outcome.text, 'You are on the Pro plan.');
  const { thinking } = await load(2);
  await ambit({ agent: scripted([], { model: thinking }) }).invoke(QUESTION);
  deepEqual(
    server.requests.map(({ body }) => [body['model'], body['thinking']]),
    [
      ['claude-sonnet-5', undefined],
      ['claude-haiku-4-5', undefined],
      ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 4096 }],
      ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 4096 }],
    ],
  );
  await stopServer(server);
};
