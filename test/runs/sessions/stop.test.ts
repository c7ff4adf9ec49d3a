/** A server that is told to stop ends within its time, although a call never answers: a test with real processes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = new URL('./stop-process.ts', import.meta.url).pathname;

test('SIGTERM ends a server within its time, with a message that names the session', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-stop-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(spawnSync(process.execPath, [SCRIPT, folder, 'invoke']).signal).toBe('SIGKILL');
  const server = spawn(process.execPath, [SCRIPT, folder, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  let text = '';
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (chunk.includes('driving')) server.kill('SIGTERM');
  });
  expect(await once(server, 'close')).toEqual([0, null]);
  expect(text).toMatch(/^driving\nserve_unfinished: 100 ms after the stop, run_[\w-]+ were still being driven/);
});
