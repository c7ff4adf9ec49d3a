/** Tests that answers too large for the journal are stored as blobs, and that plans can bind to their parts. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { assertStoredParts } from '../../../src/runtime/records/recorded-env.ts';
import { CAPS, planOf, type Rig, type RigTool, rig, START_MS } from '../rig.ts';

/** A text longer than any text in the journal. */
const SCROLL = 'z'.repeat(1_500_000);

const SEND: PlanStep = {
  id: 's2',
  tool: 'send',
  params: { id: { $from: 's1', path: '/page/id' } },
  depends_on: ['s1'],
};

function bench(fetch: RigTool, step: PlanStep = SEND): Rig {
  return rig({
    tools: { fetch, send: { produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'fetch' }, step])],
    caps: { ...CAPS, replan_attempts_max: 0 },
  });
}

async function observed(work: Rig, runId: string): Promise<JsonObject> {
  const [seen] = (await work.events(runId)).flatMap((event) => (event.type === 'step_observed' ? [event.raw] : []));
  return seen as JsonObject;
}

const at = (raw: JsonObject): `sha256:${string}` => raw['$blob'] as `sha256:${string}`;

test.each([
  ['without a payload limit', {}],
  ['with a payload limit above its size', { limits: { payload_max_bytes: 8_000_000 } }],
] as const)('stores a single text over the journal limit completely as a blob, %s', async (_, limits) => {
  const work = rig({
    tools: {
      fetch: {
        ...limits,
        output_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        execute: () => ({ text: SCROLL }),
        produces: ['done'],
      },
    },
    plans: [planOf([{ id: 's1', tool: 'fetch' }])],
  });
  const done = await work.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  const raw = await observed(work, done.runId);
  expect(raw).toMatchObject({ bytes: 1_500_011, preview: `{"text":"${'z'.repeat(491)}` });
  expect(JSON.parse(await work.journal.blob(at(raw)))).toEqual({ text: SCROLL });
  expect(JSON.parse(await work.runtime.records.document(done.runId, at(raw)))).toEqual({ text: SCROLL });
  await work.runtime.records.replay(done.runId);
});

test('treats an answer over the absolute limit as malformed, and records its length', async () => {
  const work = bench({ retries_max: 0, execute: () => 'z'.repeat(64 * 1_048_576 + 1) });
  const { runId } = await work.invoke();
  const [seen] = (await work.events(runId)).filter(({ type }) => type === 'step_observed');
  expect(seen).toMatchObject({
    outcome: 'malformed',
    raw: null,
    detail: expect.stringContaining('67108865 characters'),
  });
});

test('passes a part of a large answer to the step that is bound to it', async () => {
  const work = bench({ execute: () => ({ page: { id: 'p1', of: 3 }, text: SCROLL }) });
  const done = await work.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  expect(work.dispatches).toMatchObject([{ tool: 'fetch' }, { tool: 'send', args: { id: 'p1' } }]);
  expect(await observed(work, done.runId)).toMatchObject({ parts: { '/page/id': 'p1' } });
  await work.runtime.records.replay(done.runId);
});

test('passes on only parts that the output schema confirms', async () => {
  const output_schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const open = await bench({ output_schema, execute: () => ({ page: { id: 'p1' }, text: SCROLL }) }).invoke();
  expect(open.terminalCode).not.toBe('SUCCESS');
  const properties = { text: { type: 'string' }, page: { type: 'object', properties: { id: { type: 'string' } } } };
  const declared = { type: 'object', properties, required: ['text', 'page'] };
  const work = bench({ output_schema: declared, execute: () => ({ page: { id: 'p1' }, text: SCROLL, more: 1 }) });
  expect(await work.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(work.dispatches.at(-1)).toMatchObject({ tool: 'send', args: { id: 'p1' } });
});

test.each([
  [1_000, true],
  [61_000, false],
])('checks the age of a large answer: %i ms old is accepted: %s', async (age, ok) => {
  const meta = { source: 'docs', scope: 'public', as_of: START_MS - age };
  const work = rig({
    tools: {
      fetch: {
        category: 'read_only_lookup',
        rules: {
          source: { at: '/source', approved: ['docs'] },
          metadata: { source: '/meta/source', scope: '/meta/scope', as_of: '/meta/as_of' },
          age_max_ms: 60_000,
        },
        execute: () => ({ text: SCROLL, meta }),
        produces: ['done'],
      },
    },
    plans: [planOf([{ id: 's1', tool: 'fetch', params: { source: 'docs' } }])],
    caps: { ...CAPS, replan_attempts_max: 0 },
  });
  const { runId } = await work.invoke();
  const verified = (await work.events(runId)).find(({ type }) => type === 'step_verified');
  expect(verified).toMatchObject({ ok });
});

test('refuses a binding to a part that is itself too large, and names the fix', async () => {
  const largePart: PlanStep = { ...SEND, params: { id: { $from: 's1', path: '/text' } } };
  const work = bench({ execute: () => ({ text: SCROLL }) }, largePart);
  const ended = await work.invoke();
  expect(work.dispatches.map(({ tool }) => tool)).toEqual(['fetch']);
  const words = JSON.stringify(await work.events(ended.runId));
  for (const fix of ['bind to a smaller part', 'answer with less', 'limits.payloadMaxBytes'])
    expect(words).toContain(fix);
});

test('detects a record whose inline part differs from the stored answer', async () => {
  const work = bench({ execute: () => ({ page: { id: 'p1' }, text: SCROLL }) });
  const { runId } = await work.invoke();
  const events = await work.events(runId);
  await assertStoredParts(work.journal, events);
  const forged = events.map((event): RunEvent => {
    if (event.type !== 'step_observed' || !Object.hasOwn(event.raw as object, 'parts')) return event;
    return { ...event, raw: { ...(event.raw as JsonObject), parts: { '/page/id': 'p2' } as Json } };
  });
  await expect(assertStoredParts(work.journal, forged)).rejects.toMatchObject({ code: 'replay_divergence' });
});
