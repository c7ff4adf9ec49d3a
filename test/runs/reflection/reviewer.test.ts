/** A reviewer may fail, hang or return anything; the run handles each case. */
import { describe, expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { activeContext } from '../../../src/kernel/query/critic-input/active-context.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { Reviewer } from '../../../src/ports/model/model-roles.ts';
import { createModelClient } from '../../../src/roles/client/model-client.ts';
import { RETRY_POLICY } from '../../../src/roles/client/retry.ts';
import { keptNames } from '../../../src/roles/model-reviewer.ts';
import { askForCompression, askForReflection, type ReviewerCall } from '../../../src/session/perform/ask-reviewer.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { proposed, turns } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { agentFor, planOf, REQUEST, START_MS, toolSpec } from '../rig.ts';

const REASON = { code: 'low_confidence', step_id: 'a', message: 'doubtful', detail: {} };
const REFLECT = { kind: 'reflect', trigger: 'low_confidence', reason: REASON } as const;

function anyState() {
  const run = turns({ tools: { read: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { context_tokens: 700 }));
  return run.state;
}

/** The reviewer with a model client that is never used. */
function callOf(reviewer: Reviewer): ReviewerCall {
  const { ports, pins } = partsOf({ tools: { read: { produces: ['done'] } } });
  const { models, clock, timer } = ports;
  const openModelClient = createModelClient({ models, retry: RETRY_POLICY, clock, timer, hash: pins.env.hash });
  return { reviewer, openModelClient, allowance: NO_COST, models, clock, timer };
}
const NO_EXTRAS = { items: [], notes: [] };
const reflection = async (reviewer: Reviewer, recall: AbortSignal): Promise<EventBody> =>
  (await askForReflection(callOf(reviewer), anyState(), REFLECT, recall)).event;
const compression = async (reviewer: Reviewer, recall: AbortSignal): Promise<EventBody> =>
  (await askForCompression(callOf(reviewer), anyState(), NO_EXTRAS, recall)).event;

const failing = {
  reflect: async () => {
    throw new Error('no model');
  },
  compress: async () => {
    throw new Error('no model');
  },
};
const hanging = {
  reflect: () => new Promise<never>(() => undefined),
  compress: () => new Promise<never>(() => undefined),
};

test('a failed reflection counts as one that found nothing', async () => {
  const never = new AbortController().signal;
  expect(await reflection(failing, never)).toEqual({
    type: 'reflection_made',
    trigger: 'low_confidence',
    note: 'the reviewer failed: no model',
    spent: NO_COST,
  });
});

test('a failed compression counts as unsafe', async () => {
  expect(await compression(failing, new AbortController().signal)).toMatchObject({
    lost: ['the reviewer failed: no model'],
    tokens: 700,
  });
});

test('abandons a hanging reviewer when the run recalls it', async () => {
  const recall = new AbortController();
  const answers = [reflection(hanging, recall.signal), compression(hanging, recall.signal)];
  recall.abort();
  const [reflected, compressed] = await Promise.all(answers);
  expect(reflected).toMatchObject({ type: 'reflection_made', note: 'the reviewer was called back' });
  expect(compressed).toMatchObject({ type: 'context_compressed', lost: ['the reviewer was called back'] });
});

test('abandons a hanging reviewer at its timeout', async () => {
  const clock = simulatedClock(START_MS);
  const call = { ...callOf(hanging), clock, timer: clock };
  const never = new AbortController().signal;
  const reflected = askForReflection(call, anyState(), REFLECT, never);
  const compressed = askForCompression(call, anyState(), NO_EXTRAS, never);
  clock.advanceTo(START_MS + 60_000);
  const why = 'the reviewer did not answer in time';
  expect((await reflected).event).toMatchObject({ type: 'reflection_made', note: why });
  expect((await compressed).event).toMatchObject({ type: 'context_compressed', lost: [], failure: { message: why } });
});

/** A reviewer whose answers are untrusted values, regardless of their declared type. */
const reviewerAnswering = (reflection: unknown, compression: unknown = reflection): Reviewer =>
  ({ reflect: async () => reflection, compress: async () => compression }) as unknown as Reviewer;

describe('an invalid answer', () => {
  const circular: Record<string, unknown> = {};
  circular['note'] = circular;
  const trap = {
    get note(): string {
      throw new Error('no');
    },
  };
  const SPENT = { ...NO_COST, input_tokens: 1 };
  const NO_REFLECTIONS: Readonly<Record<string, unknown>> = {
    nothing: undefined,
    null: null,
    prose: 'prose',
    'a list': [],
    'an empty object': {},
    'a circular object': circular,
    'a throwing getter': trap,
    'a number for a note': { note: 7, spent: SPENT },
    'no costs': { note: 'fine' },
    'negative costs': { note: 'fine', spent: { ...SPENT, microusd: -1 } },
    'NaN costs': { note: 'fine', spent: { ...SPENT, input_tokens: Number.NaN } },
    'unsafe integer costs': { note: 'fine', spent: { ...SPENT, output_tokens: 2 ** 60 } },
    'an unknown cost field': { note: 'fine', spent: { ...SPENT, refund: 5 } },
  };
  test.each(Object.keys(NO_REFLECTIONS))('is no reflection: %s', async (name) => {
    const event = await reflection(reviewerAnswering(NO_REFLECTIONS[name]), new AbortController().signal);
    expect(event).toEqual({
      type: 'reflection_made',
      trigger: 'low_confidence',
      note: expect.stringMatching(/^the reviewer failed: /),
      spent: NO_COST,
    });
  });

  const ALL = keptNames(activeContext(anyState(), NO_EXTRAS).context);
  const { budget_state: _, ...SIX } = ALL;
  const NO_COMPRESSIONS: readonly unknown[] = [
    undefined,
    'shorter now',
    { kept: ALL },
    { kept: SIX, dropped: [], digest: '' },
    { kept: { ...ALL, budget_state: 'all' }, dropped: [], digest: '' },
    { kept: ALL, dropped: [1], digest: '' },
    { kept: ALL, dropped: [], digest: 'x'.repeat(20_001) },
    { kept: ALL, dropped: [], digest: '', tokens: 0 },
  ];
  test.each(NO_COMPRESSIONS)('is no compression: %o', async (answer) => {
    const event = await compression(reviewerAnswering(answer), new AbortController().signal);
    const lost = [expect.stringMatching(/^the reviewer failed: /)];
    expect(event).toMatchObject({ type: 'context_compressed', lost, tokens: 700 });
  });

  test('is not affected by a reviewer that changes its answer afterwards', async () => {
    const kept = { ...ALL, trace_pointers: [...ALL.trace_pointers] };
    const event = await compression(reviewerAnswering({ kept, dropped: [], digest: '' }), new AbortController().signal);
    kept.trace_pointers.length = 0;
    expect(event).toMatchObject({ lost: [], tokens: 700 });
  });

  test('ends a run under context pressure as an unsafe compression, also in replay', async () => {
    const clock = simulatedClock(START_MS);
    const runtime = ambit({
      agent: agentFor(['read']),
      tools: [{ spec: toolSpec('read', { retries_max: 0, produces: ['done'] }), execute: () => null }],
      planner: scriptedPlanner([planOf([{ id: 'a', tool: 'read' }])], { contextTokens: 90_000 }),
      world: { clock, timer: clock, reviewer: reviewerAnswering({ kept: null, dropped: 'few' }) },
    });
    const outcome = await runtime.invoke(REQUEST);
    expect(outcome).toMatchObject({ terminalCode: 'UNSAFE_DETECTION', reason: 'compression_unsafe' });
    expect((await runtime.records.replay(outcome.runId)).state.budget?.context_tokens).toBe(90_000);
  });
});
