/** Secret and personal values: a handle in the journal, ciphertext in the vault, and plaintext only for the tool. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, type Ambit, agent, ambit, type BoundTool, templatePlanner, tool } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/records.ts';
import { type Vault, vaults } from '../../../src/store.ts';
import { masterKeyFile } from './master-key-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-sealed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MAIL = 'ada.lovelace@example.org';
const PHONE = '+44 20 7946 0958';
const TENANT = 'tenant_a';
const identity = {
  actor: 'sam',
  tenant_id: TENANT,
  roles: ['clerk'],
  scopes: ['crm.find', 'mail.send'],
  expires_at: 4_000_000_000_000,
};
const OPERATOR = { kind: 'local_operator', name: 'olga', roles: ['operator'] } as const;

interface Sent {
  readonly to: string;
  readonly note: string;
}

function tools(
  sent: Sent[],
  fails = false,
  approvalMode: 'read_only' | 'destructive' = 'read_only',
): readonly BoundTool[] {
  const find = tool({
    name: 'crm.find',
    description: 'Finds a customer by e-mail address',
    approvalMode: 'read_only',
    inputSchema: z.object({ email: z.email() }),
    outputSchema: z.object({ name: z.string(), contact: z.object({ email: z.email(), phone: z.string() }) }),
    execute: ({ email }) => ({ name: 'Ada', contact: { email, phone: PHONE } }),
    effects: { produces: ['customer'] },
    risk: { category: 'live_api', trusted: true },
    rules: { privacy: { opens: ['/email'], seals: ['/contact/*'] } },
  });
  const send = tool({
    name: 'mail.send',
    description: 'Sends a mail',
    approvalMode,
    inputSchema: z.object({ to: z.email(), note: z.string() }),
    outputSchema: z.object({ sent: z.boolean(), echo: z.string() }),
    execute: async ({ to, note }) => {
      if (fails) throw new Error(`550 no such mailbox: ${to}`);
      sent.push({ to, note });
      return { sent: true, echo: `sent to ${to}` };
    },
    effects: { produces: ['mail'], idempotency: { kind: 'key', retentionMs: 60_000 } },
    risk: { category: 'live_api', trusted: true },
    rules: { privacy: { opens: ['/to'] } },
    limits: { retries: 0 },
  });
  return [find, send];
}

function clerk(bound: readonly BoundTool[], requires: readonly string[] = []): Agent {
  return agent({
    name: 'clerk',
    planner: templatePlanner({
      greet: {
        plan_id: 'plan_greet',
        intent: 'greet',
        steps: [
          { id: 's1', tool: 'crm.find', params: { email: { $slot: 'email' } } },
          {
            id: 's2',
            tool: 'mail.send',
            depends_on: ['s1'],
            ...(requires.length === 0 ? {} : { requires: [...requires] }),
            params: { to: { $from: 's1', path: '/contact/email' }, note: { $from: 's1', path: '/contact/phone' } },
          },
        ],
        decision_checkpoints: [],
      },
    }),
    tools: bound,
    intents: [
      { intent: 'greet', description: 'Greets', criteria: [{ id: 'ok', statement: 'Sent.', evidence: 'mail' }] },
    ],
    boundary: 'customer_support',
    budget: {
      stepsMax: 9,
      toolCallsMax: 9,
      externalApiCallsMax: 9,
      inputTokensMax: 1000,
      outputTokensMax: 1000,
      wallClockSecondsMax: 300,
      inferenceCostUsdMax: 1,
      retryCountMax: 1,
      reflectionPassesMax: 1,
      contextTokensMax: 1000,
      memoryWritesMax: 1,
      sideEffectsMax: 1,
    },
    settings: { roles: { clerk: 'destructive' }, sealedInputs: ['/email'] },
  });
}

interface Bench {
  readonly runtime: Ambit;
  readonly vault: Vault;
  readonly sent: Sent[];
  readonly file: string;
}

function bench(name: string, fails = false): Bench {
  const sent: Sent[] = [];
  const file = join(folder, `${name}.db`);
  const vault = vaults.inFile(join(folder, `${name}.vault`), { masterKey: { file: masterKeyFile() } });
  const runtime = ambit({ agent: clerk(tools(sent, fails)), store: `sqlite:${file}`, world: { vault } });
  return { runtime, vault, sent, file };
}

const greet = (runtime: Ambit): ReturnType<Ambit['invoke']> =>
  runtime.invoke('clerk', { goal: 'Greet the customer please', inputs: { email: MAIL }, identity });

/** Every byte of a SQLite file, including its write-ahead log. */
const bytesOf = (file: string): string =>
  [file, `${file}-wal`].map((part) => readFileSync(part, { flag: 'a+' }).toString('latin1')).join('');

test('the tool gets the value, the journal a handle, and a replay needs neither', async () => {
  const { runtime, vault, sent, file } = bench('whole');
  const done = await greet(runtime);
  expect(done.status).toBe('completed');
  // Opened only for arguments that the tool declares: the note stays a handle.
  expect(sent).toEqual([{ to: MAIL, note: expect.stringMatching(/^sealed:v1:[0-9a-f]{64}$/) }]);
  const text = JSON.stringify(await runtime.records.frames(done.runId));
  for (const value of [MAIL, PHONE]) {
    expect(text).not.toContain(value);
    expect(bytesOf(file)).not.toContain(value);
    expect(bytesOf(join(folder, 'whole.vault'))).not.toContain(value);
  }
  const [first] = await runtime.records.transcripts(done.runId);
  expect(JSON.stringify(first)).toContain('sealed:v1:');
  const before = (await runtime.records.replay(done.runId)).turns.length;
  await runtime.vault.erase(TENANT, { credential: OPERATOR, reason: 'asked to be forgotten' });
  expect((await runtime.records.replay(done.runId)).turns).toHaveLength(before);
  expect(await runtime.vault.erasures(TENANT)).toMatchObject([{ by: 'olga', reason: 'asked to be forgotten' }]);
  await vault.close();
  await runtime.close();
});

test("redacts an opened value from a tool's errors and output", async () => {
  const { runtime } = bench('thrown', true);
  const failed = await greet(runtime);
  expect(failed.status).not.toBe('completed');
  const text = JSON.stringify(await runtime.records.frames(failed.runId));
  expect(text).toContain('no such mailbox: [redacted]');
  expect(text).not.toContain(MAIL);
});

test('after an erasure nothing opens, and a call that needs the value is denied', async () => {
  const { runtime, vault } = bench('erased');
  const handle = await vault.seal(TENANT, '"x"');
  expect(await vault.open(TENANT, handle)).toBe('"x"');
  await expect(vault.open('tenant_b', handle)).rejects.toMatchObject({ code: 'sealed_unknown' });
  await expect(
    runtime.vault.erase(TENANT, { credential: { kind: 'local_operator', name: 'eve' }, reason: 'x' }),
  ).rejects.toMatchObject({
    code: 'permission_denied',
  });
  await runtime.vault.erase(TENANT, { credential: OPERATOR, reason: 'forget' });
  await expect(vault.open(TENANT, handle)).rejects.toMatchObject({ code: 'sealed_erased' });
  // The same value has another handle under the next key.
  expect(await vault.seal(TENANT, '"x"')).not.toBe(handle);
  const stale = await runtime.invoke('clerk', {
    goal: 'Greet the customer please',
    inputs: { email: handle },
    identity,
  });
  expect(stale.status).toBe('paused');
  const events = (await runtime.records.frames(stale.runId)).flatMap(
    (frame) => JSON.parse(frame.events) as readonly RunEvent[],
  );
  const observed = events.find((event) => event.type === 'step_observed');
  // The tool never received the call, so nothing can have happened.
  expect(observed).toMatchObject({
    outcome: 'denied',
    unsent: true,
    detail: expect.stringContaining('has been erased'),
  });
  expect(stale.why.join(' ')).toContain('has been erased');
});

test('only a person who may decide the gate may reveal a sealed value, and each look is recorded', async () => {
  const sent: Sent[] = [];
  const gated = clerk(tools(sent, false, 'destructive'), ['GATE_MODE_APPROVAL']);
  const runtime = ambit({ agent: gated, world: { vault: vaults.inMemory() } });
  const waiting = await greet(runtime);
  const [gate] = waiting.pending;
  if (gate === undefined) throw new Error(waiting.why.join(' '));
  const { parameters } = (await runtime.gates.packet(gate.packetHash)) as { parameters: { to: string; note: string } };
  const lea = { kind: 'local_operator', name: 'lea' } as const;
  expect(await runtime.vault.reveal(gate.gateId, parameters.to, lea)).toBe(MAIL);
  expect(await runtime.vault.looks(TENANT)).toMatchObject([{ by: 'lea', gate_id: gate.gateId, handle: parameters.to }]);
  // The actor of the run may not decide the gate, and therefore may not reveal the value.
  const requester = { kind: 'local_operator', name: 'sam' } as const;
  await expect(runtime.vault.reveal(gate.gateId, parameters.to, requester)).rejects.toMatchObject({
    code: 'permission_denied',
  });
  const other = `sealed:v1:${'0'.repeat(64)}`;
  await expect(runtime.vault.reveal(gate.gateId, other, lea)).rejects.toMatchObject({ code: 'sealed_unknown' });
  const done = await runtime.approve(gate.gateId, { packetHash: gate.packetHash, credential: lea, reason: 'known' });
  expect(done.status).toBe('completed');
  expect(sent).toMatchObject([{ to: MAIL }]);
  expect(JSON.stringify(await runtime.records.frames(done.runId))).not.toContain(MAIL);
  await expect(runtime.vault.reveal(gate.gateId, parameters.to, lea)).rejects.toMatchObject({ code: 'gate_not_found' });
});

test('equal values have one handle per tenant, and different handles across tenants', async () => {
  const vault = vaults.inMemory();
  const one = await vault.seal('a', '"secret"');
  expect(await vault.seal('a', '"secret"')).toBe(one);
  expect(await vault.seal('a', '"other"')).not.toBe(one);
  expect(await vault.seal('b', '"secret"')).not.toBe(one);
});

test('rejects sealed fields without a vault at construction', () => {
  expect(() => ambit({ agent: clerk(tools([])) })).toThrow(
    /clerk \(sealedInputs\), crm\.find, mail\.send: .*vaults\.inFile/,
  );
});
