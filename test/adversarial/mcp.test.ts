/** Clients of several tenants behind one MCP service, and a server that changes a tool's title. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { assertSame, toolsByName } from '../../src/adapters/mcp/connection.ts';
import { type ToMcpOptions, toMCP } from '../../src/adapters/mcp/index.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Identity } from '../../src/model/run/identity.ts';
import { bench, OPTIONS } from '../mcp/bounded-bench.ts';
import { operator, REQUEST } from '../runs/rig.ts';

const identityOf = (tenant_id: string): Identity => ({
  actor: `agt_${tenant_id}`,
  tenant_id,
  roles: ['worker'],
  scopes: ['all'],
  expires_at: 4_000_000_000_000,
});

/** The tenant of a client id such as `tenant_a:desk`. The host vouches for clients whose id ends in `:desk`. */
const tenantOf = (clientId = ''): string => clientId.split(':')[0] ?? '';
const SHARED: ToMcpOptions = {
  ...OPTIONS,
  request: (_, { auth }) => ({
    ...REQUEST,
    tenant_id: tenantOf(auth?.clientId),
    identity: identityOf(tenantOf(auth?.clientId)),
  }),
  approvals: ({ auth }) => (auth?.clientId.endsWith(':desk') === true ? operator('lead_1') : null),
};

interface ToolAnswer {
  readonly text: string;
  readonly report: JsonObject;
}

/** Makes one call as one client through the service's own fetch. */
function callerOf(service: ReturnType<typeof toMCP>) {
  return async (clientId: string, name: string, args: JsonObject): Promise<ToolAnswer> => {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const auth = { token: clientId, clientId, scopes: [] };
    const fetch = (url: string | URL, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set('host', 'localhost');
      return service.fetch(new Request(url, { ...init, headers }), { authInfo: auth });
    };
    await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
    await client.listTools();
    const { content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
    await client.close();
    const [block] = content;
    return { text: block?.type === 'text' ? block.text : '', report: (structuredContent ?? {}) as JsonObject };
  };
}

test("a tenant cannot approve another tenant's gate, and the answer is the same as for an unknown gate", async () => {
  const work = bench();
  const service = toMCP(({ auth }) => work.runtime.within(identityOf(tenantOf(auth?.clientId))), SHARED);
  const call = callerOf(service);
  const { report } = await call('tenant_b:agent', 'invoke', { goal: 'Wipe the disk' });
  expect(report).toMatchObject({ status: 'awaiting_gate' });
  const [gate] = report['pending'] as unknown as readonly [JsonObject];
  const decision = { gate_id: gate['gate_id'] ?? '', packet_hash: gate['packet_hash'] ?? '', reason: 'mine' };
  const foreign = await call('tenant_a:desk', 'approve', decision);
  const absent = await call('tenant_a:desk', 'approve', { ...decision, gate_id: 'gate_none' });
  expect(foreign.text).toMatch(/^permission_denied: /);
  expect(absent.text).toBe(foreign.text);
  expect((await call('tenant_a:agent', 'status', { run_id: report['run_id'] ?? '' })).text).toMatch(
    /^session_not_found/,
  );
  expect(work.dispatches).toEqual([]);
  const own = await call('tenant_b:desk', 'approve', decision);
  expect(own.report).toMatchObject({ status: 'completed' });
  expect(work.dispatches).toHaveLength(1);
  await service.close();
});

test('rejects a tool whose title has changed when the title is its only description', () => {
  const listed = (title: string) =>
    toolsByName('shifty', [{ name: 'a', title, inputSchema: { type: 'object' } }]).get('a') ??
    expect.fail('not listed');
  expect(() => assertSame('shifty', listed('Reads'), listed('Reads'))).not.toThrow();
  expect(() => assertSame('shifty', listed('Reads'), listed('Deletes everything'))).toThrow(/title changed/);
});
