/** What happens to calls when a server changes its tools, stays silent, dies, or comes back. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVERYTHING, everythingOverHttp, type Imported, imported, ownServer } from '../../../test/mcp/real-servers.ts';

const MOODY = ownServer('moody.ts');
const text = (words: unknown): object => ({ content: [{ type: 'text', text: words }] });

/** One process for the tests that leave it as it was. */
let moody: Imported;
let onProgress = (): void => undefined;

beforeAll(async () => {
  const labels = { mute: { timeout_ms: 1 } };
  moody = await imported(MOODY, { server: 'moody', labels, watch: { progress: () => onProgress() } });
});

afterAll(() => moody[Symbol.asyncDispose]());

test('all pages of the list are read, and the key of a call travels with it', async () => {
  expect(moody.tools.map(({ spec }) => spec.name)).toEqual(
    ['wait', 'shifty', 'redefine', 'cancelled', 'key', 'die', 'mute', 'odd'].map((name) => `moody.${name}`),
  );
  expect(await moody.call('moody.key')).toEqual(
    text(expect.stringContaining('"ambit/idempotency-key":"key_moody.key"')),
  );
  await expect(moody.call('moody.odd')).rejects.toMatchObject({ code: expect.stringMatching(/^tool_/) });
});

test('a tool that changed without a word is refused before anything is sent', async () => {
  await using moody = await imported(MOODY, { server: 'moody' });
  expect(await moody.call('moody.shifty')).toEqual(text('shifty'));
  await moody.call('moody.redefine', { silently: true });
  await expect(moody.call('moody.shifty')).rejects.toMatchObject({
    code: 'tool_drifted',
    message: expect.stringContaining('moody.shifty is not what it was when it was registered (description changed)'),
  });
  expect(await moody.call('moody.key')).toEqual(text(expect.any(String)));
});

test('a trusted server that says its list has changed is listed again', async () => {
  const changes: string[] = [];
  const watch = { toolsChanged: () => void changes.push('changed') };
  await using moody = await imported(MOODY, { server: 'moody', trusted: true, watch });
  await moody.call('moody.redefine', { silently: true });
  expect(await moody.call('moody.shifty')).toEqual(text('shifty'));
  await moody.call('moody.redefine');
  expect(changes).toHaveLength(1);
  await expect(moody.call('moody.shifty')).rejects.toMatchObject({ code: 'tool_drifted' });
});

test('a call that is called back is cancelled at the server', async () => {
  const stop = new AbortController();
  onProgress = () => stop.abort();
  await expect(moody.call('moody.wait', {}, stop.signal)).rejects.toMatchObject({ code: 'tool_failed' });
  expect(await moody.call('moody.cancelled')).toEqual(text('1'));
});

test('a call that nobody calls back ends when its time is up', async () => {
  await expect(moody.call('moody.mute')).rejects.toMatchObject({ code: 'step_timeout' });
});

test('a server that exits in the middle of a call says why, and is started again for the next call', async () => {
  await using moody = await imported(MOODY, { server: 'moody' });
  await expect(moody.call('moody.die')).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: 'the MCP server moody is gone: its process exited with code 7: the disk is on fire',
  });
  expect(await moody.call('moody.shifty')).toEqual(text('shifty'));
});

test('where the policy is never to connect again, every later call says what became of the server', async () => {
  await using moody = await imported(MOODY, { server: 'moody', connection: { reconnect: 'never' } });
  await expect(moody.call('moody.die')).rejects.toMatchObject({ code: 'dependency_unavailable' });
  await expect(moody.call('moody.shifty')).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: expect.stringContaining('exited with code 7'),
  });
});

test('kill -9 in the middle of a call over stdio', async () => {
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

test('kill -9 in the middle of a call over HTTP, and the server that takes its place', async () => {
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

test('a closed import answers no more calls', async () => {
  const closed = await imported(MOODY, { server: 'moody' });
  await closed[Symbol.asyncDispose]();
  await expect(closed.call('moody.key')).rejects.toMatchObject({
    message: expect.stringContaining('it was closed here'),
  });
});
