/** Tests the size limits of tool answers, late answers, and the concurrency limit of a tool. */
import { expect, test } from 'vitest';
import { vecToArray } from '../../../src/kernel/state/vec.ts';
import { CAPS, planOf, rig } from '../rig.ts';

const LONG = 'x'.repeat(5_000);

test('stores an answer over payload_max_bytes as a blob and keeps a preview in the journal', async () => {
  const bench = rig({
    tools: { fetch: { limits: { payload_max_bytes: 1_000 }, execute: () => ({ text: LONG }), produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'fetch' }])],
  });
  const done = await bench.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  const seen = (await bench.events(done.runId)).flatMap((event) => (event.type === 'step_observed' ? [event] : []));
  const raw = seen[0]?.raw as { readonly $blob: `sha256:${string}`; readonly bytes: number; readonly preview: string };
  expect(raw.bytes).toBeGreaterThan(5_000);
  expect(raw.preview).toHaveLength(500);
  expect(JSON.parse(await bench.journal.blob(raw.$blob))).toEqual({ text: LONG });
  await bench.runtime.records.replay(done.runId);
});

/** Two of these exceed the inline limit of the journal. */
const HALF = 'y'.repeat(600_000);

const PAGE = {
  output_schema: {
    type: 'object',
    properties: { id: { type: 'string' }, text: { type: 'string' }, more: { type: 'string' } },
    required: ['id', 'text'],
    additionalProperties: false,
  },
} as const;

test('validates all of a large answer against the output schema, and replay does not need the answer for that', async () => {
  const bench = rig({
    tools: { fetch: { ...PAGE, execute: () => ({ id: 'p1', text: HALF, more: HALF }), produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'fetch' }])],
  });
  const done = await bench.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  const seen = (await bench.events(done.runId)).find(({ type }) => type === 'step_observed');
  expect(seen).toMatchObject({ outcome: 'ok', stored: { confirmed: 'all', problems: [] } });
  const { state } = await bench.runtime.records.replay(done.runId);
  expect(state.work.version).toBe(1);
});

test('refuses a large answer that breaks the output schema with the exact problem, and keeps the answer', async () => {
  const bench = rig({
    tools: { fetch: { ...PAGE, retries_max: 0, execute: () => ({ text: HALF, more: HALF }), produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'fetch' }])],
    caps: { ...CAPS, replan_attempts_max: 0 },
  });
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  expect(events.find(({ type }) => type === 'step_verified')).toMatchObject({
    ok: false,
    problems: [{ code: 'tool_result_invalid', path: '/id', message: 'is missing' }],
  });
  const [seen] = events.flatMap((event) => (event.type === 'step_observed' ? [event] : []));
  const raw = seen?.raw as { readonly $blob: `sha256:${string}` };
  expect(JSON.parse(await bench.journal.blob(raw.$blob))).toEqual({ text: HALF, more: HALF });
});

test('leaves the preview out of the fact when parts of a large answer are unconfirmed', async () => {
  const open = { output_schema: { ...PAGE.output_schema, additionalProperties: true } };
  const bench = rig({
    tools: {
      fetch: { ...open, execute: () => ({ id: 'p', text: LONG, aside: 1 }), limits: { payload_max_bytes: 100 } },
    },
    plans: [planOf([{ id: 's1', tool: 'fetch' }])],
  });
  const { runId } = await bench.invoke();
  const { state } = await bench.runtime.records.replay(runId);
  const fact = vecToArray(state.work.progress).flatMap((row) => (row.fact == null ? [] : [row.fact.value]));
  expect(fact.map((value) => Object.keys(value as object).toSorted())).toEqual([['$blob', 'bytes']]);
});

test('gives a verify probe all of a large answer of a tool with side effects', async () => {
  const asked: unknown[] = [];
  const bench = rig({
    tools: {
      post: {
        ...PAGE,
        side_effect: true,
        approval_mode: 'local_write',
        produces: ['done'],
        limits: { payload_max_bytes: 100 },
        execute: () => ({ id: 'p1', text: LONG }),
        probes: { verify: 'look' },
        probing: {
          verify: {
            args: ({ result }) => ({ id: (result as { id: string }).id }),
            expect: (_args, found) => found !== null,
          },
        },
      },
      look: {
        limits: { payload_max_bytes: 100 },
        output_schema: PAGE.output_schema,
        execute: (args) => {
          asked.push(args);
          return { id: 'p1', text: LONG };
        },
      },
    },
    plans: [planOf([{ id: 's1', tool: 'post' }])],
  });
  const done = await bench.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  expect(asked).toEqual([{ id: 'p1' }]);
  await bench.runtime.records.replay(done.runId);
});

test('accepts a large result that a reconcile probe finds', async () => {
  const bench = rig({
    tools: {
      post: {
        ...PAGE,
        side_effect: true,
        approval_mode: 'local_write',
        idempotency: { kind: 'none' },
        produces: ['done'],
        timeout_ms: 1_000,
        execute: () => new Promise(() => undefined),
        probes: { reconcile: 'look' },
        probing: { reconcile: { args: () => ({}) } },
      },
      look: {
        limits: { payload_max_bytes: 100 },
        execute: () => ({ finding: 'happened', result: { id: 'p1', text: LONG } }),
      },
    },
    plans: [planOf([{ id: 's1', tool: 'post' }])],
  });
  const done = await bench.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  const found = (await bench.events(done.runId)).find(({ type }) => type === 'call_reconciled');
  expect(found).toMatchObject({ finding: 'happened', stored: { problems: [] } });
  const { $blob } = (found as unknown as { raw: { $blob: `sha256:${string}` } }).raw;
  expect(JSON.parse(await bench.journal.blob($blob))).toEqual({ id: 'p1', text: LONG });
  await bench.runtime.records.replay(done.runId);
});

test('records an answer that arrives after the timeout and does not use it', async () => {
  const { promise: late, resolve: answerLate } = Promise.withResolvers<{ balance: number }>();
  let calls = 0;
  const bench = rig({
    tools: {
      slow: {
        timeout_ms: 1_000,
        execute: () => {
          calls += 1;
          if (calls === 1) return late;
          answerLate({ balance: 1 });
          return { balance: 2 };
        },
        produces: ['done'],
      },
    },
    plans: [planOf([{ id: 's1', tool: 'slow' }])],
  });
  const done = await bench.invoke();
  expect(done.terminalCode).toBe('SUCCESS');
  const events = await bench.events(done.runId);
  const at = (type: string): number => events.findIndex((event) => event.type === type);
  expect(events[at('answer_came_late')]).toMatchObject({ call_id: 'call_1', outcome: 'ok', raw: { balance: 1 } });
  const committed = await bench.runtime.records.replay(done.runId);
  expect(committed.state.work.version).toBe(1);
  expect(events.filter(({ type }) => type === 'step_observed')).toMatchObject([
    { call_id: 'call_1', outcome: 'timeout' },
    { call_id: 'call_2', raw: { balance: 2 } },
  ]);
});

test('never runs more calls of a tool at once than its concurrency limit', async () => {
  let out = 0;
  let most = 0;
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const plan = planOf([{ id: 's1', tool: 'heavy' }]);
  const bench = rig({
    tools: {
      heavy: {
        limits: { concurrency: 2 },
        execute: async () => {
          out += 1;
          most = Math.max(most, out);
          if (out === 2) open();
          await opened;
          out -= 1;
          return { ok: true };
        },
        produces: ['done'],
      },
    },
    plans: [plan, plan, plan, plan],
  });
  const done = await Promise.all(Array.from({ length: 4 }, () => bench.invoke()));
  expect(done.map(({ terminalCode }) => terminalCode)).toEqual(Array.from({ length: 4 }, () => 'SUCCESS'));
  expect(most).toBe(2);
});

test('keeps the concurrency slot of a call that still runs after its timeout', async () => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<{ ok: true }>();
  let out = 0;
  let most = 0;
  const plan = planOf([{ id: 's1', tool: 'heavy' }]);
  const bench = rig({
    tools: {
      heavy: {
        limits: { concurrency: 1 },
        timeout_ms: 1_000,
        retries_max: 1,
        execute: async () => {
          out += 1;
          most = Math.max(most, out);
          await finished;
          out -= 1;
          return { ok: true };
        },
        produces: ['done'],
      },
    },
    plans: [plan],
  });
  await bench.invoke();
  expect(most).toBe(1);
  finish({ ok: true });
});

test('stores a large late answer as a blob, too', async () => {
  const { promise: late, resolve: answerLate } = Promise.withResolvers<{ text: string }>();
  let calls = 0;
  const bench = rig({
    tools: {
      slow: {
        timeout_ms: 1_000,
        limits: { payload_max_bytes: 1_000 },
        execute: () => {
          calls += 1;
          if (calls === 1) return late;
          answerLate({ text: LONG });
          return { text: '' };
        },
        produces: ['done'],
      },
    },
    plans: [planOf([{ id: 's1', tool: 'slow' }])],
  });
  const { runId } = await bench.invoke();
  const lateAnswers = (await bench.events(runId)).flatMap((event) =>
    event.type === 'answer_came_late' ? [event] : [],
  );
  const raw = lateAnswers[0]?.raw as { readonly $blob: `sha256:${string}` };
  expect(JSON.parse(await bench.journal.blob(raw.$blob))).toEqual({ text: LONG });
});

test('applies the rate limit to a call that waited for a concurrency slot', async () => {
  const plan = planOf([{ id: 's1', tool: 'heavy' }]);
  const bench = rig({
    tools: {
      heavy: {
        limits: { concurrency: 1, rate: { calls: 1, per_ms: 1_000 } },
        execute: async () => {
          await bench.clock.until(bench.clock.nowMs() + 3_500, new AbortController().signal);
          return { ok: true };
        },
        produces: ['done'],
      },
    },
    options: { limits: { dispatchWindowMs: 600_000 } },
    plans: [plan, plan, plan],
  });
  await Promise.all([bench.invoke(), bench.invoke(), bench.invoke()]);
  const at = bench.dispatches.map((sent) => sent.at);
  expect(at).toHaveLength(3);
  for (const [place, instant] of at.entries()) {
    if (place > 0) expect(instant - (at[place - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
  }
});
