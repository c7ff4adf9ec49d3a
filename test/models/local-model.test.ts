/** The local-model example against a test server that speaks the same protocol. */
import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { stockAgent, stockQuestion } from '../../examples/05-local-model/src/agent.ts';
import { ambit } from '../../src/index.ts';
import { modelServer } from '../../src/testing/model-server/model-server.ts';

const step = (id: string, tool: string, params: object, depends_on: readonly string[]): object => ({
  id,
  tool,
  task_objective: `use ${tool}`,
  params,
  depends_on,
  context_key: null,
  inputs: [],
  success_criteria: null,
});

test('plans with the local model, looks up, answers, and costs no money', async () => {
  const steps = [
    step('s1', 'stock.look_up', { article: 'blue mug' }, []),
    step('s2', 'respond', { objective: 'say how many' }, ['s1']),
  ];
  const text = 'We have 4 pieces of the blue mug.';
  const cites = [
    { ref: 'ev_1', pointer: '/pieces' },
    { ref: 'ev_1', pointer: '/article' },
  ];
  const server = await modelServer([
    { json: { steps } as never, usage: { input_tokens: 900, output_tokens: 80 } },
    { json: { sentences: [{ text, cites }] } },
  ]);
  onTestFinished(() => server.close());
  const runtime = ambit({ agent: stockAgent({ url: `${server.url}/v1`, model: 'llama3.2' }) });
  const run = await runtime.invoke(stockQuestion('How many blue mugs do we have?'));
  expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS', text });
  expect(run.sentences.map(({ form }) => form)).toEqual(['composed']);
  server.assertDrained();
  expect(server.requests[0]?.body).toMatchObject({ model: 'llama3.2', response_format: { type: 'json_schema' } });
  const [looked] = await runtime.records.transcripts(run.runId);
  expect(looked).toMatchObject({ call: { tool: 'stock.look_up' }, result: { raw: { pieces: 4 } } });
  const [exchange] = await runtime.records.exchanges(run.runId);
  expect(exchange?.call).toMatchObject({
    profile: 'local',
    spent: { input_tokens: 900, output_tokens: 80, microusd: 0 },
  });
  await runtime.close();
});

test('without a server, prints the address, the reason and how to start one', () => {
  const args = ['--import', './test/e2e/crash/package-is-source.ts', 'examples/05-local-model/src/main.ts'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--url', 'http://127.0.0.1:1/v1'], {
    cwd: new URL('../..', import.meta.url).pathname,
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/no server answers at http:\/\/127\.0\.0\.1:1\/v1 \(.+\)\.\nStart one: ollama serve/);
});
