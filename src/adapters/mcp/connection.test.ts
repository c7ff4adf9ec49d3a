/** Tests calls to a server that changes its tools, stays silent, dies or comes back. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVERYTHING, everythingOverHttp, type Imported, imported, ownServer } from '../../../test/mcp/real-servers.ts';

const MOODY = ownServer('moody.ts');
const text = (words: unknown): object => ({ content: [{ type: 'text', text: words }] });

/** A shared process for the tests that do not change it. */
let moody: Imported;
let onProgress = (): void => undefined;

beforeAll(async () => {
  const labels = { mute: { timeout_ms: 1 } };
  moody = await imported(MOODY, { server: 'moody', labels, watch: { progress: () => onProgress() } });
});

afterAll(() => moody[Symbol.asyncDispose]());

test('reads all pages of the tool list and sends the idempotency key with a call', async () => {
  expect(moody.tools.map(({ spec }) => spec.name)).toEqual(
    ['wait', 'shifty', 'redefine', 'cancelled', 'key', 'die', 'mute', 'odd'].map((name) => `moody.${name}`),
  );
  expect(await moody.call('moody.key')).toEqual(
    text(expect.stringContaining('"ambit/idempotency-key":"key_moody.key"')),
  );
  await expect(moody.call('moody.odd')).rejects.toMatchObject({ code: expect.stringMatching(/^tool_/) });
});

test('refuses a silently changed tool before anything is sent', async () => {
  await using moody = await imported(MOODY, { server: 'moody' });
  expect(await moody.call('moody.shifty')).toEqual(text('shifty'));
  await moody.call('moody.redefine', { silently: true });
  await expect(moody.call('moody.shifty')).rejects.toMatchObject({
    code: 'tool_drifted',
    message: expect.stringContaining('moody.shifty is not what it was when it was registered (description changed)'),
  });
  expect(await moody.call('moody.key')).toEqual(text(expect.any(String)));
});

test("lists a trusted server's tools again after it announces a change", async () => {
  const changes: string[] = [];
  const watch = { toolsChanged: () => void changes.push('changed') };
  await using moody = await imported(MOODY, { server: 'moody', trusted: true, watch });
  await moody.call('moody.redefine', { silently: true });
  expect(await moody.call('moody.shifty')).toEqual(text('shifty'));
  await moody.call('moody.redefine');
  expect(changes).toHaveLength(1);
  await expect(moody.call('moody.shifty')).rejects.toMatchObject({ code: 'tool_drifted' });
});

test('cancels an aborted call at the server', async () => {
  const stop = new AbortController();
  onProgress = () => stop.abort();
  await expect(moody.call('moody.wait', {}, stop.signal)).rejects.toMatchObject({ code: 'tool_failed' });
  expect(await moody.call('moody.cancelled')).toEqual(text('1'));
});

test('times out a call that is not aborted', async () => {
  await expect(moody.call('moody.mute')).rejects.toMatchObject({ code: 'step_timeout' });
});

test('reports why a server exited during a call, and restarts it for the next call', async () => {
  await using moody = await imported(MOODY, { server: 'moody' });
  await expect(moody.call('moody.die')).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: 'the MCP server moody is gone: its process exited with code 7: the disk is on fire',
  });
  expect(await moody.call('moody.shifty')).toEqual(text('shifty'));
});

test('with reconnect: never, every later call reports why the server exited', async () => {
  await using moody = await imported(MOODY, { server: 'moody', connection: { reconnect: 'never' } });
  await expect(moody.call('moody.die')).rejects.toMatchObject({ code: 'dependency_unavailable' });
  await expect(moody.call('moody.shifty')).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: expect.stringContaining('exited with code 7'),
  });
});

test('reports kill -9 during a call over stdio', async () => {
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => void started.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  const watch = { progress: () => void started.at(-1)?.kill('SIGKILL') };
  await using server = await imported(EVERYTHING, { server: 'e', watch });
  unsubscribe('child_process', note);
  const call = server.call('e.trigger-long-running-operation', { duration: 600, steps: 60_000 });
  await expect(call).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: expect.stringMatching(/^the MCP server e is gone: its process was ended by SIGKILL/),
  });
});

test('reports kill -9 during a call over HTTP, and reconnects to the replacement server', async () => {
  await using first = await everythingOverHttp();
  const watch = { progress: () => void first.child.kill('SIGKILL') };
  await using server = await imported(first.config, { server: 'e', watch });
  const call = server.call('e.trigger-long-running-operation', { duration: 600, steps: 60_000 });
  await expect(call).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: expect.stringMatching(/^the MCP server e is gone: .*ECONNREFUSED/),
  });
  await using _second = await everythingOverHttp(first.port);
  expect(await server.call('e.echo', { message: 'again' })).toEqual(text('Echo: again'));
});

test('rejects calls after close', async () => {
  const closed = await imported(MOODY, { server: 'moody' });
  await closed[Symbol.asyncDispose]();
  await expect(closed.call('moody.key')).rejects.toMatchObject({
    message: expect.stringContaining('it was closed here'),
  });
});
