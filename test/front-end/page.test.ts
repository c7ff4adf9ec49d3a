/** Proves docs/how-to/front-end.md and front-end-events.md: the handler is the one that the tests serve, and every example comes from a run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toUIMessageStream } from '../../src/adapters/ai-sdk/index.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { snippets } from '../docs/markdown.ts';
import { scriptedComposer, sentence } from '../runs/answers/bench.ts';
import { collect } from '../runs/handle/shop.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';
import { ACCOUNT, INVOICE } from './bench.ts';

const pageOf = (name: string): string => readFileSync(new URL(`../../docs/how-to/${name}`, import.meta.url), 'utf8');
const page = pageOf('front-end.md');
const events = pageOf('front-end-events.md');
const handler = readFileSync(new URL('./chat-handler.ts', import.meta.url), 'utf8');

/** The code from its first comment on, without the imports. */
const bodyOf = (code: string): string => code.slice(code.indexOf('/** The person'));

test('the page shows the inbox handler that the tests serve', () => {
  const inbox = readFileSync(new URL('./inbox-handler.ts', import.meta.url), 'utf8');
  expect(bodyOf(snippets(page)[2] ?? '')).toBe(bodyOf(inbox));
});

test('the page shows the chat handler that the tests serve', () => {
  expect(bodyOf(snippets(page)[0] ?? '')).toBe(bodyOf(handler));
});

const examples = Array.from(events.matchAll(/^```json\n(?<lines>.*?)^```$/gms), ({ groups }) => groups?.['lines'] ?? '')
  .flatMap((lines) => lines.trim().split('\n'))
  .map((line) => JSON.parse(line) as JsonObject);

const SHOP: RigOptions = {
  tools: {
    account: { trusted: true, execute: () => ACCOUNT },
    invoice: {
      trusted: true,
      approval_mode: 'destructive',
      gates: ['GATE_FINANCE'],
      produces: ['done'],
      execute: () => INVOICE,
    },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'account', params: { customer_id: 'cus_1' } },
      { id: 'b', tool: 'invoice', params: { amount: 4990 }, depends_on: ['a'], requires: ['GATE_FINANCE'] },
    ]),
  ],
  world: {
    composer: scriptedComposer([
      [
        sentence('Your plan is Pro.', ['ev_1', '/plan']),
        sentence('Invoice INV-7 was paid on 3 May 2026.', ['ev_2', '/paid_on']),
      ],
    ]),
  },
};

const FAILING: RigOptions = {
  tools: {
    read: {
      execute: () => {
        throw new Error('down');
      },
    },
  },
  plans: Array.from({ length: 3 }, () => planOf([{ id: 's1', tool: 'read' }])),
};

/** The events of a run and the chunks of its stream, with short hashes. */
async function emitted({ runtime, events }: Rig, { runId }: RunOutcome): Promise<readonly unknown[]> {
  const chunks = await collect(toUIMessageStream(await runtime.sessions.follow(runId)));
  const text = JSON.stringify([...chunks, ...(await events(runId))]);
  return JSON.parse(text.replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…')) as unknown[];
}

async function decide(bench: Rig, how: 'approve' | 'reject' | 'requestInfo', outcome: RunOutcome): Promise<RunOutcome> {
  const [gate] = outcome.pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('lead_1'), reason: 'because' };
  return await bench.settle(bench.runtime.gates[how](gate?.gateId ?? '', answer));
}

/** Runs that show every event of the page. */
async function allEmitted(): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (const how of ['requestInfo', 'approve', 'reject'] as const) {
    const bench = rig(SHOP);
    const waiting = await bench.invoke();
    all.push(...(await emitted(bench, waiting)));
    all.push(...(await emitted(bench, await decide(bench, how, waiting))));
  }
  const asking = rig({ tools: { read: {} } });
  const asked = await asking.invoke({ goal: { statement: 'Book the room', required_fields: ['date'] } });
  all.push(...(await emitted(asking, asked)));
  const cancelled = { type: 'run_cancelled', by: 'agt_worker', reason: 'changed my mind' };
  all.push(...(await emitted(asking, await asking.settle(asking.runtime.sessions.send(asked.runId, cancelled)))));
  const failing = rig(FAILING);
  const waiting = await failing.invoke();
  all.push(...(await emitted(failing, waiting)));
  const { runId, handoverHash } = waiting;
  const stop = { packetHash: handoverHash ?? '', credential: operator('ana'), reason: 'stop' };
  const ended = failing.runtime.sessions.decideEscalation(runId, { ...stop, decision: 'terminate' });
  return [...all, ...(await emitted(failing, await failing.settle(ended)))];
}

test('every example of the page is emitted by a run', async () => {
  const all = await allEmitted();
  expect(examples.length).toBeGreaterThan(20);
  for (const example of examples) {
    const alike = all.filter((each) => (each as JsonObject)['type'] === example['type']);
    const fits = alike.some((each) => isPartOf(example, each));
    expect({ example, alike: fits ? [] : alike }).toEqual({ example, alike: [] });
  }
});

/** True if every field of the example has the same value in the emitted JSON. Lists are compared as they are. */
function isPartOf(example: unknown, real: unknown): boolean {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) {
    return JSON.stringify(example) === JSON.stringify(real);
  }
  if (typeof real !== 'object' || real === null) return false;
  return Object.entries(example).every(([key, value]) => isPartOf(value, (real as Record<string, unknown>)[key]));
}
