/** A question with two parts, asked over HTTP with a composer, and without a model. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ambit } from 'ambit';
import { expect, onTestFinished } from 'vitest';
import { accountAgent } from '../../examples/01-refund/src/account-agent.ts';
import { openRuntime, scriptedModelAt } from '../../examples/01-refund/src/open-runtime.ts';
import { questionRequest } from '../../examples/01-refund/src/request.ts';
import { QUESTION_ANSWER, QUESTION_PLAN } from '../../examples/01-refund/src/script.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';
import { accountTools } from '../../examples/01-refund/src/tools.ts';
import { draftsOf } from '../../examples/scripted-answer.ts';
import { modelServer } from '../../src/testing/model-server/model-server.ts';
import { verifies } from '../requirements/verifies.ts';

const serve = async (...turns: readonly object[]): Promise<string> => {
  const server = await modelServer(turns.map((json) => ({ json: json as never })));
  onTestFinished(() => server.close());
  return server.url;
};

/** Raw output: a brace, a bracket, or a key of a result. */
const RAW = /[{}[\]]|_cents|_on\b|customer_/;

verifies('answer:response:written-for-the-user', 'a composed answer answers both parts, in sentences', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-answer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const url = await serve(QUESTION_PLAN, ...draftsOf(QUESTION_ANSWER));
  const runtime = openRuntime(join(folder, 'ambit.db'), openShop().ledger, url);
  const { terminalCode, text } = await runtime.invoke('accounts', questionRequest);
  await runtime.close();
  expect([terminalCode, text]).toEqual([
    'SUCCESS',
    'You are on the Pro plan. You paid €61.90 in April 2026. You made two payments in April 2026.',
  ]);
  expect(text).not.toMatch(RAW);
});

verifies('answer:response:written-for-the-user', 'the same run without a composer states both facts', async () => {
  const model = scriptedModelAt(await serve(QUESTION_PLAN));
  const runtime = ambit({
    agent: accountAgent(accountTools(openShop().ledger), model, null),
    store: 'memory',
  });
  const { terminalCode, text, sentences } = await runtime.invoke(questionRequest);
  await runtime.close();
  expect([terminalCode, text]).toEqual(['SUCCESS', 'You are on the Pro plan.\nYou paid 61.90 EUR in April 2026.']);
  expect(sentences).toEqual([]);
  expect(text).not.toMatch(RAW);
});
