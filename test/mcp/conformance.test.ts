/**
 * The scenarios of the MCP conformance suite that concern Ambit's use of MCP. The MCP library covers OAuth; Ambit
 * neither offers nor requests forms, models, prompts and resources.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bench, OPTIONS, serveOverHttp } from './bounded-bench.ts';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const CLIENT = fileURLToPath(new URL('servers/conformance-client.ts', import.meta.url));

/** Runs the suite in a temporary folder, because it writes its results to its working directory. */
async function suite(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'ambit-conformance-'));
  try {
    const child = spawn(process.execPath, [SUITE, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await exited;
    return { code: child.exitCode, output: stdout + stderr };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

async function passesAsClient(scenario: string): Promise<void> {
  const { code, output } = await suite('client', '--command', `${process.execPath} ${CLIENT}`, '--scenario', scenario);
  expect(output).toContain('0 failed');
  expect(output).toContain('OVERALL: PASSED');
  expect(code).toBe(0);
}

test.for(['initialize', 'tools_call'])('fromMCP as the client: %s', passesAsClient);

// This scenario measures real time, so a correct client may be late on a busy machine.
test('fromMCP as the client: sse-retry', { retry: 2 }, () => passesAsClient('sse-retry'));

test.for(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])(
  'toMCP as the server: %s',
  async (scenario) => {
    await using served = await serveOverHttp(OPTIONS, bench());
    const { code, output } = await suite('server', '--url', served.url.href, '--scenario', scenario);
    expect(output).toContain('0 failed');
    expect(code).toBe(0);
  },
);
