/** Ambit's runs behind MCP, called by real MCP clients over both transports. */
import { InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { type ToMcpOptions, toMCP } from '../../src/adapters/mcp/index.ts';
import { signer, waitingSigned } from '../runs/gates/bench.ts';
import { REQUEST, START_MS } from '../runs/rig.ts';
import { bench, OPTIONS, serveOverHttp } from './bounded-bench.ts';
import { clientOf } from './client.ts';
import { imported, ownServer } from './real-servers.ts';

const over = (url: URL, token: string) =>
  clientOf((client) =>
    client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    ),
  );

test('over HTTP, a run starts, reports its gate, is approved and completes', async () => {
  const work = bench();
  await using served = await serveOverHttp(OPTIONS, work);
  const agent = await over(served.url, 'an_agent');
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual(['approve', 'invoke', 'status']);

  const waiting = await agent.ask('invoke', { goal: 'Wipe the disk' });
  expect(waiting.isError).toBe(false);
  expect(waiting.report).toMatchObject({
    status: 'awaiting_gate',
    terminal_code: null,
    pending: [{ name: 'GATE_OWNER', packet_hash: expect.stringMatching(/^sha256:/), packet: expect.any(Object) }],
  });
  expect(JSON.stringify(waiting.report.pending[0]?.['packet'])).toContain('"disk":"d1"');
  expect(work.dispatches).toEqual([]);

  const [gate] = waiting.report.pending;
  const decision = { gate_id: gate?.['gate_id'] ?? '', packet_hash: gate?.['packet_hash'] ?? '', reason: 'old disk' };
  const own = await agent.ask('approve', decision);
  expect(own).toMatchObject({ isError: true, text: expect.stringMatching(/^approver_missing: /) });
  const approver = await over(served.url, 'the_desk');
  const other = await approver.ask('approve', { ...decision, packet_hash: `sha256:${'0'.repeat(64)}` });
  expect(other).toMatchObject({ isError: true, text: expect.stringMatching(/^grant_stale: /) });
  expect(work.dispatches).toEqual([]);

  const done = await approver.ask('approve', decision);
  expect(done.report).toMatchObject({ status: 'completed', terminal_code: 'SUCCESS', pending: [] });
  expect(work.dispatches).toHaveLength(1);
  expect((await agent.ask('status', { run_id: waiting.report.run_id })).report).toEqual(done.report);
  await agent.client.close();
  await approver.client.close();
});

test('a call with two gates is one entry, and an approval may name the gates that it covers', async () => {
  const work = bench(['GATE_OWNER', 'GATE_LEGAL']);
  await using served = await serveOverHttp(OPTIONS, work);
  const approver = await over(served.url, 'the_desk');
  const { report } = await approver.ask('invoke', { goal: 'Wipe the disk' });
  const open = { name: 'GATE_OWNER', decided_by: null };
  expect(report.pending).toMatchObject([{ gates: [open, { name: 'GATE_LEGAL', decided_by: null }] }]);
  const [gate] = report.pending;
  const decision = { gate_id: gate?.['gate_id'] ?? '', packet_hash: gate?.['packet_hash'] ?? '', reason: 'old disk' };
  const half = await approver.ask('approve', { ...decision, gates: ['GATE_LEGAL'] });
  expect(half.report).toMatchObject({
    status: 'awaiting_gate',
    pending: [{ gates: [open, { name: 'GATE_LEGAL', decided_by: 'lead_1' }] }],
  });
  expect(work.dispatches).toEqual([]);
  expect((await approver.ask('approve', decision)).report).toMatchObject({ status: 'completed', pending: [] });
  expect(work.dispatches).toHaveLength(1);
  await approver.client.close();
});

test('shows a run to the client that started it and to clients that the host permits', async () => {
  const work = bench();
  await using served = await serveOverHttp(OPTIONS, work);
  const agent = await over(served.url, 'an_agent');
  const { report } = await agent.ask('invoke', { goal: 'Wipe the disk' });
  const stranger = await over(served.url, 'a_stranger');
  const hidden = await stranger.ask('status', { run_id: report.run_id });
  const absent = await stranger.ask('status', { run_id: 'run_none' });
  expect(hidden).toMatchObject({ isError: true, text: `session_not_found: there is no run ${report.run_id} of yours` });
  expect(absent.text).toBe('session_not_found: there is no run run_none of yours');
  await using open = await serveOverHttp(
    { ...OPTIONS, mayRead: (_, { auth }) => auth?.clientId === 'a_stranger' },
    work,
  );
  const auditor = await over(open.url, 'a_stranger');
  expect((await auditor.ask('status', { run_id: report.run_id })).report).toMatchObject({ status: 'awaiting_gate' });
  for (const { client } of [agent, stranger, auditor]) await client.close();
});

test('reports a refusal with its code, and an internal error without details', async () => {
  const work = bench();
  const [here, there] = InMemoryTransport.createLinkedPair();
  const foreign: ToMcpOptions['request'] = ({ inputs }) => ({ ...REQUEST, tenant_id: inputs?.['tenant'] ?? '' });
  toMCP(work.runtime, { ...OPTIONS, request: foreign, approvals: 'none' }).stdio(there);
  const agent = await clientOf((client) => client.connect(here));
  expect((await agent.client.listTools()).tools.map(({ name }) => name)).toEqual(['invoke', 'status']);
  const refused = await agent.ask('invoke', { goal: 'x', inputs: { tenant: 'tenant_b' } });
  expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^envelope_invalid: \/tenant_id/) });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const broken = { ...OPTIONS, request: () => JSON.parse('the password is hunter2') };
  toMCP(work.runtime, broken).stdio(far);
  const other = await clientOf((client) => client.connect(near));
  expect((await other.ask('invoke', { goal: 'x' })).text).toBe('internal: it failed, and the host knows why');
  await agent.client.close();
  await other.client.close();
});

test('accepts a decision signed with an enrolled key and rejects a forged one', async () => {
  const { bench: work, gate, keys } = await waitingSigned();
  const [here, there] = InMemoryTransport.createLinkedPair();
  toMCP(work.runtime, { name: 'signed', request: () => REQUEST }).stdio(there);
  const agent = await clientOf((client) => client.connect(here));
  const credential = (await signer(keys, 'ana')).sign(gate, 'approve', START_MS);
  if (credential.kind !== 'signing_key') throw new Error('not signed');
  const signature = { key_id: credential.keyId, signed_at: credential.signedAt, signature: credential.signature };
  const decision = { gate_id: gate.gateId, packet_hash: gate.packetHash, reason: 'seen' };
  const unsigned = await agent.ask('approve', decision);
  expect(unsigned.text).toMatch(/^approver_missing: /);
  const forged = await agent.ask('approve', { ...decision, signature: { ...signature, signed_at: START_MS + 1 } });
  expect(forged.text).toMatch(/^signature_invalid: /);
  const done = await agent.ask('approve', { ...decision, signature });
  expect(done.report).toMatchObject({ status: 'completed', terminal_code: 'SUCCESS' });
  await agent.client.close();
});

test('rejects a browser request with another host name', async () => {
  const service = toMCP(bench().runtime, OPTIONS);
  const asked = (headers: Record<string, string>): Promise<Response> =>
    service.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' }));
  expect((await asked({ host: 'evil.example' })).status).toBe(403);
  expect((await asked({ host: 'localhost', origin: 'http://evil.example' })).status).toBe(403);
  expect((await asked({ host: 'localhost' })).status).not.toBe(403);
});

test('imports the tools of another process that serves a rig over stdio', async () => {
  await using served = await imported(ownServer('bounded.ts'), { server: 'bounded' });
  expect(served.tool('bounded.invoke').spec).toMatchObject({ approval_mode: 'destructive', side_effect: true });
  expect(await served.call('bounded.invoke', { goal: 'Wipe the disk' })).toMatchObject({
    status: 'awaiting_gate',
    pending: [{ name: 'GATE_OWNER' }],
  });
});
