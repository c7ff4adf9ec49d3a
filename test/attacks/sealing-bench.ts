import { equal } from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type Agent,
  type Ambit,
  agent,
  ambit,
  type BoundTool,
  type Json,
  templatePlanner,
  tool,
} from '../../src/index.ts';
import { type LogLine, vaults } from '../../src/store.ts';

export const TENANT = 'tenant_a';
export const MAIL = 'ada.lovelace@example.org';
export const OTHER_MAIL = 'augusta.byron@example.net';
export const PHONE = '+44 20 7946 0958';
/** A secret with letters beyond ASCII, which some forms write otherwise. */
export const NAME = 'Zoë Müller-Strauß';
export const PEM: string = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

export const OPERATOR = { kind: 'local_operator', name: 'olga', roles: ['operator'] } as const;

const identity = {
  actor: 'sam',
  tenant_id: TENANT,
  roles: ['clerk'],
  scopes: ['crm.find', 'orders.list', 'mail.send'],
  expires_at: 4_000_000_000_000,
};

/** What the tools of a run say beside their declared results. */
export interface Said {
  readonly summary?: Json;
  readonly error?: string;
  readonly log?: string;
  /** Further parts of the result that the finding tool seals. */
  readonly contact?: Readonly<Record<string, Json>>;
  /** The result of the tool that neither seals nor opens anything. */
  readonly listed?: Json;
}

export interface SealingBench {
  readonly runtime: Ambit;
  readonly folder: string;
  readonly lines: LogLine[];
  /** The addresses that the finding tool was called with. */
  readonly found: readonly string[];
  readonly sent: { readonly to: string; readonly note: string }[];
  greet(goal?: string, inputs?: Readonly<Record<string, Json>>): ReturnType<Ambit['invoke']>;
  /** Everything that a run has left: files, frames, trace, account, bundle and log lines, as one text. */
  traces(runId: string): Promise<string>;
  closeVault(): Promise<void>;
  close(): Promise<void>;
}

interface ToolParts {
  readonly said: Said;
  readonly found: string[];
  readonly sent: { to: string; note: string }[];
}

function toolsOf({ said, found, sent }: ToolParts): readonly BoundTool[] {
  const find = tool({
    name: 'crm.find',
    description: 'Finds a customer by e-mail address',
    approvalMode: 'read_only',
    inputSchema: { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] },
    outputSchema: { type: 'object' },
    execute: async ({ email }, { credentials, log }) => {
      found.push(String(email));
      await credentials();
      if (said.log !== undefined) log.info(said.log, { detail: said.log });
      if (said.error !== undefined) throw new Error(said.error);
      return { contact: { ...said.contact, email: String(email), phone: PHONE }, summary: said.summary ?? 'none' };
    },
    effects: { produces: ['customer'] },
    rules: { privacy: { opens: ['/email'], seals: ['/contact/*'] } },
    limits: { retries: 0 },
  });
  const list = tool({
    name: 'orders.list',
    description: 'Lists orders',
    approvalMode: 'read_only',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object' },
    execute: () => ({ orders: said.listed ?? [] }),
    effects: { produces: ['orders'] },
  });
  const send = tool({
    name: 'mail.send',
    description: 'Sends a mail',
    approvalMode: 'destructive',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string' }, note: { type: 'string' } },
      required: ['to', 'note'],
    },
    outputSchema: { type: 'object' },
    execute: ({ to, note }) => {
      sent.push({ to: String(to), note: String(note) });
      return { sent: true };
    },
    effects: { produces: ['mail'], idempotency: { kind: 'key', retentionMs: 60_000 } },
    rules: { privacy: { opens: ['/to'] } },
  });
  return [find, list, send];
}

function clerkWith(tools: readonly BoundTool[]): Agent {
  return agent({
    name: 'clerk',
    planner: templatePlanner({
      greet: {
        plan_id: 'plan_greet',
        intent: 'greet',
        steps: [
          { id: 's1', tool: 'crm.find', params: { email: { $slot: 'email' } } },
          { id: 's2', tool: 'orders.list', params: {}, depends_on: ['s1'] },
          {
            id: 's3',
            tool: 'mail.send',
            depends_on: ['s2'],
            requires: ['GATE_MODE_APPROVAL'],
            params: { to: { $from: 's1', path: '/contact/email' }, note: 'Hello' },
          },
        ],
        decision_checkpoints: [],
      },
    }),
    tools,
    intents: [
      { intent: 'greet', description: 'Greets', criteria: [{ id: 'ok', statement: 'Sent.', evidence: 'mail' }] },
    ],
    boundary: 'customer_support',
    budget: 'standard',
    settings: { roles: { clerk: 'destructive' }, sealedInputs: ['/email'] },
  });
}

/** Everything that a run has left. A run that still waits is cancelled first. */
async function tracesOf(
  { runtime, folder, lines }: Pick<SealingBench, 'runtime' | 'folder' | 'lines'>,
  runId: string,
): Promise<string> {
  const { status, pending } = await runtime.sessions.get(runId);
  const packets = await Promise.all(pending.map(({ packetHash }) => runtime.gates.packet(packetHash)));
  if (status === 'awaiting_gate' || status === 'paused')
    await runtime.sessions.cancel(runId, { credential: OPERATOR, reason: 'the attack is over' });
  const records = [
    ...packets,
    await runtime.records.frames(runId),
    await runtime.records.trace(runId),
    await runtime.records.transcripts(runId),
    await runtime.sessions.get(runId),
    lines,
  ];
  const bundle = gunzipSync(await runtime.records.export(runId)).toString('utf8');
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)).toString('latin1'));
  return [...records.map((record) => JSON.stringify(record)), bundle, ...files].join('\n');
}

/** A clerk that finds a customer, lists orders and, after an approval, sends a mail. */
export function sealingBench(said: Said = {}): SealingBench {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-sealing-'));
  const sent: { to: string; note: string }[] = [];
  const lines: LogLine[] = [];
  const found: string[] = [];
  const clerk = clerkWith(toolsOf({ said, found, sent }));
  const vault = vaults.inFile(join(folder, 'vault.db'), { unprotected: true });
  const runtime = ambit({
    agent: clerk,
    store: `sqlite:${join(folder, 'run.db')}`,
    world: {
      vault,
      services: {
        credentials: { get: async () => ({ tenantId: TENANT, values: { key: PEM, user: NAME } }) },
        log: (line) => void lines.push(line),
      },
    },
  });
  return {
    runtime,
    folder,
    lines,
    found,
    sent,
    greet: (goal = 'Greet the customer please', inputs = {}) =>
      runtime.invoke('clerk', { goal, inputs: { email: MAIL, ...inputs }, identity }),
    traces: (runId) => tracesOf({ runtime, folder, lines }, runId),
    closeVault: () => vault.close(),
    close: async () => {
      await runtime.close();
      await vault.close();
    },
  };
}

/** Requires that a text holds neither these values in any case, nor these forms of them, as they are or in JSON. */
export function assertAbsent(text: string, parts: readonly string[]): void {
  const small = text.toLowerCase();
  for (const part of parts) {
    const json = JSON.stringify(part).slice(1, -1);
    for (const form of [part, json, JSON.stringify(json).slice(1, -1)])
      equal(small.includes(form.toLowerCase()), false, `it holds ${form.slice(0, 60)}`);
  }
}
