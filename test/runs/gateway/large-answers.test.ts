/** Answers that are too large for the journal are kept whole beside it, and plans reach the parts they are bound to. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/model/event.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { PlanStep } from '../../../src/model/plan.ts';
import { assertStoredParts } from '../../../src/session/recorded.ts';
import { CAPS, planOf, type Rig, type RigTool, rig, START_MS } from '../rig.ts';

/** One text that is longer than any text in the journal. */
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
  ['where its tool says nothing', {}],
  ['and where it would keep as much in line', { limits: { payload_max_bytes: 8_000_000 } }],
] as const)('a single text that is longer than the journal takes is kept whole, %s', async (_, limits) => {
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
  expect(JSON.parse(await work.runtime.document(done.runId, at(raw)))).toEqual({ text: SCROLL });
  await work.runtime.replay(done.runId);
});

test('a text beyond what is taken of any answer is malformed, and the record says how long it was', async () => {
  const work = bench({ retries_max: 0, execute: () => 'z'.repeat(64 * 1_048_576 + 1) });
  const { runId } = await work.invoke();
  const [seen] = (await work.events(runId)).filter(({ type }) => type === 'step_observed');
  expect(seen).toMatchObject({
    outcome: 'malformed',
    raw: null,
    detail: expect.stringContaining('67108865 characters'),
  });
});

test('a step that is bound to a part of a large answer is given that part', async () => {
  const work = bench({ execute: () => ({ page: { id: 'p1', of: 3 }, text: SCROLL }) });
  const done = await work.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  expect(work.dispatches).toMatchObject([{ tool: 'fetch' }, { tool: 'send', args: { id: 'p1' } }]);
  expect(await observed(work, done.runId)).toMatchObject({ parts: { '/page/id': 'p1' } });
  await work.runtime.replay(done.runId);
});

test('a part counts only as far as somebody has confirmed it', async () => {
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
])('a large answer that was true %i ms ago is believed: %s', async (age, ok) => {
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

test('a part that is large itself is not followed, and the refusal names the fix', async () => {
  const whole: PlanStep = { ...SEND, params: { id: { $from: 's1', path: '/text' } } };
  const work = bench({ execute: () => ({ text: SCROLL }) }, whole);
  const ended = await work.invoke();
  expect(work.dispatches.map(({ tool }) => tool)).toEqual(['fetch']);
  const words = JSON.stringify(await work.events(ended.runId));
  for (const fix of ['bind to a smaller part', 'answer with less', 'limits.payloadMaxBytes'])
    expect(words).toContain(fix);
});

test('a record that puts another value in line than the answer holds is found out', async () => {
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
