/** Tests tools of real servers over both transports. */
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  EVERYTHING,
  everythingOverHttp,
  type Imported,
  imported,
  stdioServer,
} from '../../../test/mcp/real-servers.ts';
import type { CallProgress } from './from-mcp.ts';
import { processesStartedBy } from './link.ts';
import type { MediaHandle } from './plain-result.ts';

/** A shared process for all tests that only call it. */
let everything: Imported;
const reported: CallProgress[] = [];

beforeAll(async () => {
  everything = await imported(EVERYTHING, { server: 'e', watch: { progress: (progress) => reported.push(progress) } });
});

afterAll(() => everything[Symbol.asyncDispose]());

test('imports every tool of the everything server under the local server name', () => {
  const names = everything.tools.map(({ spec }) => spec.name);
  expect(names).toContain('e.echo');
  expect(names.length).toBeGreaterThanOrEqual(10);
  expect(names.every((name) => name.startsWith('e.'))).toBe(true);
  const { spec } = everything.tool('e.echo');
  expect(spec.source).toBe('mcp:e');
  expect(spec.version).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(spec.trusted).toBe(false);
});

test.for(['stdio', 'http'] as const)(
  'returns text, structure, links and images as plain JSON over %s',
  async (transport) => {
    await using running = transport === 'http' ? await everythingOverHttp() : null;
    const kept: [MediaHandle, number][] = [];
    const watch = { media: (handle: MediaHandle, bytes: Uint8Array) => kept.push([handle, bytes.length]) };
    await using server = await imported(running?.config ?? EVERYTHING, { server: 'e', watch });
    expect(await server.call('e.echo', { message: 'hi' })).toEqual({ content: [{ type: 'text', text: 'Echo: hi' }] });
    expect(await server.call('e.get-structured-content', { location: 'Chicago' })).toEqual({
      temperature: expect.any(Number),
      conditions: expect.any(String),
      humidity: expect.any(Number),
    });
    expect(await server.call('e.get-resource-links', { count: 1 })).toEqual({
      content: [
        { type: 'text', text: expect.any(String) },
        expect.objectContaining({ type: 'resource_link', uri: expect.any(String), name: expect.any(String) }),
      ],
    });
    const image = await server.call('e.get-tiny-image');
    expect(JSON.stringify(image).length).toBeLessThan(600);
    expect(kept).toHaveLength(1);
    expect(image).toMatchObject({ content: expect.arrayContaining([kept[0]?.[0]]) });
    expect(kept[0]?.[0].bytes).toBe(kept[0]?.[1]);
  },
);

test('reads a file through the filesystem server, and reports its refusal as a failed tool with the reason', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ambit-mcp-')));
  try {
    writeFileSync(join(dir, 'note.txt'), 'in the folder');
    await using server = await imported(stdioServer('filesystem', dir), { server: 'files', trusted: true });
    expect(await server.call('files.read_text_file', { path: join(dir, 'note.txt') })).toEqual({
      content: 'in the folder',
    });
    const outside = server.call('files.read_text_file', { path: '/etc/hostname' });
    await expect(outside).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(/^files\.read_text_file reports an error: .*outside allowed/),
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('stores data in the memory server and reads it back as structured content', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-mcp-'));
  try {
    const source = { ...stdioServer('memory'), env: { MEMORY_FILE_PATH: join(dir, 'memory.jsonl') } };
    await using server = await imported(source, { server: 'memory', only: ['create_entities', 'read_graph'] });
    expect(server.tools.map(({ spec }) => spec.name).toSorted()).toEqual([
      'memory.create_entities',
      'memory.read_graph',
    ]);
    await server.call('memory.create_entities', {
      entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }],
    });
    expect(await server.call('memory.read_graph')).toMatchObject({ entities: [{ name: 'Ada' }], relations: [] });
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('reports arguments that the server rejects as a failed tool', async () => {
  await expect(everything.call('e.get-sum', { a: 'one', b: 2 })).rejects.toMatchObject({ code: 'tool_failed' });
});

test('reports progress with its tool and step', async () => {
  await everything.call('e.trigger-long-running-operation', { duration: 0.05, steps: 5 });
  expect(reported[0]).toEqual({ progress: 1, total: 5, tool: 'e.trigger-long-running-operation', stepId: 's1' });
  // The client drops notifications that it reads together with the result, so only the order is certain.
  expect(reported.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5].slice(0, reported.length));
});

test('rejects a label or a selection of an unknown tool, and names the known ones', async () => {
  await expect(imported(EVERYTHING, { server: 'e', labels: { ecko: {} } })).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining('e has no tool ecko; it has echo'),
  });
  await expect(imported(EVERYTHING, { server: 'e', only: ['nothing'] })).rejects.toMatchObject({
    code: 'input_invalid',
  });
});

test('reports why a server cannot be started', async () => {
  const broken = { command: process.execPath, args: ['-e', 'console.error("no licence found"); process.exit(3)'] };
  await expect(imported(broken, { server: 'broken' })).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: expect.stringMatching(/^the MCP server broken cannot be reached: .*no licence found/),
  });
  const absent = imported({ url: 'http://127.0.0.1:9/mcp' }, { server: 'absent' });
  await expect(absent).rejects.toMatchObject({ code: 'dependency_unavailable' });
});

test('ends a server that never completes the handshake', async () => {
  const mute = { command: process.execPath, args: ['-e', 'setInterval(() => undefined, 60_000)'] };
  const connection = { connectTimeoutMs: 100 };
  const [refusal, started] = await processesStartedBy(() =>
    imported(mute, { server: 'mute', connection }).then(
      () => null,
      (error: unknown) => error,
    ),
  );
  expect(refusal).toMatchObject({ code: 'dependency_unavailable' });
  expect(started).toHaveLength(2);
  for (const child of started) if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(started.map(({ signalCode }) => signalCode)).toEqual(['SIGTERM', 'SIGTERM']);
});

test('reports a server that requires credentials as a refusal, not an outage', async () => {
  const http = createServer((_, response) => void response.writeHead(401).end()).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const locked = imported({ url: `http://127.0.0.1:${port}/mcp` }, { server: 'locked' });
  await expect(locked).rejects.toMatchObject({
    code: 'permission_denied',
    message: expect.stringContaining('the MCP server locked refuses its credentials'),
  });
  http.close();
});

test('uses an already connected client and does not close it', async () => {
  const client = new Client({ name: 'owner', version: '1' });
  await expect(imported(client, { server: 'e' })).rejects.toMatchObject({ code: 'input_invalid' });
  const { command, args = [] } = EVERYTHING;
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: 'ignore' }));
  {
    await using server = await imported(client, { server: 'e' });
    expect(await server.call('e.echo', { message: 'hi' })).toEqual({ content: [{ type: 'text', text: 'Echo: hi' }] });
  }
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
});
