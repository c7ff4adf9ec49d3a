/**
 * The scenarios of the MCP conformance suite that concern what Ambit does with MCP. Those about OAuth are the library's
 * own; those about forms, models, prompts and resources concern what Ambit neither offers nor asks for.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bench, listening, OPTIONS } from './bounded-bench.ts';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const CLIENT = fileURLToPath(new URL('servers/conformance-client.ts', import.meta.url));

/** The suite writes its results to the folder it runs in, so it is given one of its own. */
async function suite(...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'ambit-conformance-'));
  try {
    const child = spawn(process.execPath, [SUITE, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    const [said, alsoSaid] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await exited;
    return { code: child.exitCode, said: said + alsoSaid };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

async function passesAsClient(scenario: string): Promise<void> {
  const { code, said } = await suite('client', '--command', `${process.execPath} ${CLIENT}`, '--scenario', scenario);
  expect(said).toContain('0 failed');
  expect(said).toContain('OVERALL: PASSED');
  expect(code).toBe(0);
}

test.for(['initialize', 'tools_call'])('fromMCP as the client: %s', passesAsClient);

// The suite measures real time here: on a busy machine it may find an honest client late.
test('fromMCP as the client: sse-retry', { retry: 2 }, () => passesAsClient('sse-retry'));

test.for(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])(
  'toMCP as the server: %s',
  async (scenario) => {
    await using served = await listening(OPTIONS, bench());
    const { code, said } = await suite('server', '--url', served.url.href, '--scenario', scenario);
    expect(said).toContain('0 failed');
    expect(code).toBe(0);
  },
);
