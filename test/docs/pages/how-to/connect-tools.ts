import { deepEqual, equal } from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { type Ambit, ambit, type BoundTool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, plan, scripted, step, written } from '../parts.ts';

const call = async (tools: readonly BoundTool[], name: string, params: object): Promise<unknown> => {
  const runtime = ambit({ agent: written({ tools }, [step(name, params)]) });
  const outcome = await runtime.invoke({ message: 'Please look it up', user: ADA });
  equal(outcome.terminalCode, 'SUCCESS', JSON.stringify(outcome));
  const [transcript] = await runtime.records.transcripts(outcome.runId);
  return transcript?.result.raw;
};

export const run: PageFixture = async ({ load }) => {
  mkdirSync('reports');
  writeFileSync('reports/may.txt', 'May was good.');
  const { tools, close } = await load(1);
  deepEqual(tools.map(({ spec }: BoundTool) => `${spec.name} ${spec.approval_mode}`).toSorted(), [
    'files.list_directory read_only',
    'files.read_text_file read_only',
    'files.write_file destructive',
  ]);
  const read = await call(tools, 'files.read_text_file', { path: 'may.txt' });
  equal(JSON.stringify(read).includes('May was good.'), true, JSON.stringify(read));
  await close();

  const { orders } = await load(2);
  deepEqual(await call(orders, 'look_up', { order: 'ord_881' }), { state: 'open' });

  const { serve } = await load(3);
  await overHttp(serve);
};

/** Serves an agent to a real MCP client over HTTP. */
async function overHttp(
  serve: (runtime: Ambit, userOf: (id?: string) => object) => Parameters<typeof toNodeHandler>[0],
) {
  const agent = scripted([plan(step('customer'))], { models: { composer: null } });
  const service = serve(ambit({ agent }), (name = '') => ({ name, tenant: 'tenant_acme' }));
  const handle = toNodeHandler(service);
  const http = createServer((request, response) => {
    const clientId = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const auth = { token: clientId, clientId, scopes: [] };
    void handle(Object.assign(request, { auth }) as NodeIncomingMessageLike, response);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: 'Bearer ada' } } }),
  );
  const { structuredContent } = await client.callTool({
    name: 'invoke',
    arguments: { goal: 'Which plan am I on?', inputs: { since: 'May' } },
  });
  equal((structuredContent as Record<string, unknown>)['terminal_code'], 'SUCCESS', JSON.stringify(structuredContent));
  await client.close();
  http.closeAllConnections();
  http.close();
}
