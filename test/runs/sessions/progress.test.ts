/** Sessions report progress periodically, with all fields and with a cursor that any process can use. */
import { expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { ProgressEnvelope } from '../../../src/model/run/session.ts';
import type { Ambit } from '../../../src/runtime/ambit.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import {
  agentFor,
  CAPS,
  neverAnswers,
  operator,
  planOf,
  REQUEST,
  type Rig,
  type RigOptions,
  rig,
  START_MS,
  toolSpec,
} from '../rig.ts';

const LONG = {
  mode: 'long_running',
  runtime: { max_session_duration_ms: 4 * 3_600_000, heartbeat_interval_ms: 120_000, progress_interval_ms: 10_000 },
} as const;
const GATE = 'GATE_FINANCE_APPROVAL';

const FOUR = planOf([
  { id: 's1', tool: 'one' },
  { id: 's2', tool: 'two', depends_on: ['s1'] },
  { id: 's3', tool: 'three', depends_on: ['s2'] },
  { id: 's4', tool: 'four', depends_on: ['s3'], requires: [GATE] },
]);
const TOOLS: NonNullable<RigOptions['tools']> = {
  one: {},
  two: {},
  three: {},
  four: { approval_mode: 'destructive', gates: [GATE], produces: ['done'] },
};

/** Takes this many envelopes, advancing the clock to each. */
async function takeEnvelopes(bench: Rig, count: number, after?: string): Promise<readonly ProgressEnvelope[]> {
  const taken: ProgressEnvelope[] = [];
  const stop = new AbortController();
  const follow = after === undefined ? { signal: stop.signal } : { signal: stop.signal, after };
  const stream = bench.runtime.sessions.progress('run_1', follow)[Symbol.asyncIterator]();
  while (taken.length < count) {
    const { value, done } = await bench.settle(stream.next());
    if (done === true) break;
    taken.push(value);
  }
  stop.abort();
  return taken;
}

async function sessionAtGate(options: Partial<RigOptions> = {}): Promise<Rig> {
  const bench = rig({ tools: TOOLS, plans: [FOUR], ...options });
  expect(await bench.invoke(LONG)).toMatchObject({ status: 'awaiting_gate' });
  return bench;
}

async function approve({ runtime, settle }: Rig): Promise<void> {
  const { gateId = '', packetHash = '' } = (await runtime.sessions.get('run_1')).pending[0] ?? {};
  await settle(runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' }));
}

verifies('progress:emit:periodic', 'emits one every 10 s, three in 30 s, and none after the end', async () => {
  const bench = await sessionAtGate();
  const stop = new AbortController();
  const seen: ProgressEnvelope[] = [];
  const reading = (async () => {
    for await (const envelope of bench.runtime.sessions.progress('run_1', { signal: stop.signal })) seen.push(envelope);
  })();
  for (const at of [9_999, 10_000, 19_999, 20_000, 30_000]) {
    bench.clock.advanceTo(START_MS + at);
    for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(seen, String(at)).toHaveLength(Math.floor(at / 10_000));
  }
  for (const envelope of seen) expect(ProgressEnvelope.safeParse(envelope).success).toBe(true);
  await approve(bench);
  bench.clock.advanceTo(START_MS + 60_000);
  await reading;
  expect(seen).toHaveLength(3);
  expect(await takeEnvelopes(bench, 1)).toEqual([]);
});

verifies('progress:field:identity', 'each has the session id, its own ordered id, and the time', async () => {
  const [first, second] = await takeEnvelopes(await sessionAtGate(), 2);
  expect([first?.session_id, second?.session_id]).toEqual(['run_1', 'run_1']);
  expect((first?.progress_id ?? '') < (second?.progress_id ?? '')).toBe(true);
  expect([first?.emitted_at, second?.emitted_at]).toEqual(
    [10_000, 20_000].map((ms) => new Date(START_MS + ms).toISOString()),
  );
  expect(first?.emitted_at).toMatch(/Z$/);
});

verifies('progress:field:awaiting-gate', 'names the gate the session waits at, and none after it', async () => {
  const bench = await sessionAtGate({
    tools: { ...TOOLS, four: { ...TOOLS['four'], execute: neverAnswers, timeout_ms: 60_000 } },
  });
  expect((await takeEnvelopes(bench, 1))[0]?.awaiting_gate).toBe(GATE);
  const { gateId = '', packetHash = '' } = (await bench.runtime.sessions.get('run_1')).pending[0] ?? {};
  void bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' });
  expect((await takeEnvelopes(bench, 1))[0]?.awaiting_gate).toBe(null);
});

verifies('progress:field:budget-remaining', 'reports cap minus usage for all four dimensions', async () => {
  const clock = simulatedClock(START_MS);
  const spent = { input_tokens: 270, output_tokens: 50, microusd: 30_000 };
  const plan = planOf([
    { id: 's1', tool: 'one' },
    { id: 's2', tool: 'slow', depends_on: ['s1'] },
  ]);
  const runtime = ambit({
    agent: agentFor(['one', 'slow'], { ...CAPS, input_tokens_max: 1_000, output_tokens_max: 500, tool_calls_max: 9 }),
    tools: [
      { spec: toolSpec('one'), execute: () => ({ ok: true }) },
      { spec: toolSpec('slow', { timeout_ms: 30_000, produces: ['done'] }), execute: neverAnswers },
    ],
    planner: scriptedPlanner([plan], { spent }),
    limits: { plannerCost: spent },
    world: { clock, timer: clock },
  });
  const reached = Promise.withResolvers<string>();
  void runtime.invoke({ ...REQUEST, ...LONG });
  void (async () => {
    const [{ runId } = { runId: '' }] = await untilListed(runtime);
    for await (const { event } of runtime.sessions.watch(runId)) {
      if (event.type === 'step_attempted' && event.tool === 'slow') reached.resolve(runId);
    }
  })();
  const stream = runtime.sessions.progress(await reached.promise)[Symbol.asyncIterator]();
  const next = stream.next();
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  clock.advanceTo(START_MS + 10_000);
  const { value } = await next;
  // One call is done. Another has been in flight for 10 s and has used nothing yet.
  expect(value?.budget_remaining).toEqual({
    tokens: 1_500 - 320,
    tool_calls: 8,
    cost_cents: 997,
    wall_clock_ms: 590_000,
  });
});

async function untilListed(runtime: Ambit): Promise<Awaited<ReturnType<Ambit['sessions']['list']>>> {
  for (;;) {
    const found = await runtime.sessions.list();
    if (found.length > 0) return found;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

verifies(
  'progress:field:current-step-and-counts',
  'three of four steps are done; after a replan there are five steps',
  async () => {
    const bench = await sessionAtGate();
    expect((await takeEnvelopes(bench, 1))[0]).toMatchObject({
      current_step: 's4',
      completed_step_count: 3,
      total_step_count: 4,
    });

    const five = planOf(
      [
        ...FOUR.steps.slice(0, 2),
        { id: 's5', tool: 'three' },
        { id: 's6', tool: 'one', params: { n: 2 } },
        { id: 's7', tool: 'four', requires: [GATE] },
      ],
      { plan_id: 'plan_2' },
    );
    const replanned = await sessionAtGate({
      tools: { ...TOOLS, three: { execute: failsOnce(), retries_max: 0 } },
      plans: [FOUR, five],
    });
    const [envelope] = await takeEnvelopes(replanned, 1);
    expect(envelope).toMatchObject({ current_step: 's7', completed_step_count: 4, total_step_count: 5 });
  },
);

function failsOnce(): () => { ok: true } {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === 1) throw new Error('not this time');
    return { ok: true };
  };
}

test('the wall clock stops while the session waits at a gate', async () => {
  const [first, second] = await takeEnvelopes(await sessionAtGate(), 2);
  expect(first?.budget_remaining.wall_clock_ms).toBe(600_000);
  expect(second?.budget_remaining).toEqual(first?.budget_remaining);
});

test('a cursor continues where it stopped, in another process too, with the earlier state', async () => {
  const bench = await sessionAtGate();
  const all = await takeEnvelopes(bench, 4);
  expect(await takeEnvelopes(bench, 2, all[1]?.progress_id)).toEqual(all.slice(2));
  const later = restartProcess(bench, { tools: TOOLS, plans: [] });
  expect(await takeEnvelopes(later, 3, all[0]?.progress_id)).toEqual(all.slice(1));
  await expect(takeEnvelopes(later, 1, 'nonsense')).rejects.toMatchObject({ code: 'input_invalid' });
});

test('envelopes requested again show the earlier state', async () => {
  const bench = await sessionAtGate({
    tools: { ...TOOLS, four: { ...TOOLS['four'], execute: neverAnswers, timeout_ms: 60_000 } },
  });
  const [waiting] = await takeEnvelopes(bench, 1);
  bench.clock.advanceTo(START_MS + 15_000);
  void approve(bench);
  while (bench.dispatches.length < 4) await new Promise<void>((resolve) => setImmediate(resolve));
  const [passed] = await takeEnvelopes(bench, 1);
  expect([waiting?.awaiting_gate, passed?.awaiting_gate]).toEqual([GATE, null]);
  expect(await takeEnvelopes(bench, 2, 'prog_00000000_0')).toEqual([waiting, passed]);
});

test('streams a run event by event, from any cursor, until it ends', async () => {
  const bench = await sessionAtGate();
  const seen: string[] = [];
  const cursors: string[] = [];
  const notices: string[] = [];
  const reading = (async () => {
    for await (const { event, cursor, notice } of bench.runtime.sessions.watch('run_1')) {
      seen.push(event.type);
      cursors.push(cursor);
      if (notice !== null) notices.push(notice);
    }
  })();
  await approve(bench);
  await bench.settle(reading);
  const events = await bench.events('run_1');
  expect(seen).toEqual(events.map(({ type }) => type));
  expect(notices).toEqual(['Session started', 'Session awaiting gate', 'Session completed']);
  const later = restartProcess(bench, { tools: TOOLS, plans: [] });
  const rest: string[] = [];
  for await (const { event } of later.runtime.sessions.watch('run_1', { after: cursors[9] ?? '' }))
    rest.push(event.type);
  expect(rest).toEqual(seen.slice(10));
  await expect(bench.runtime.sessions.watch('run_9')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'session_not_found',
  });
});

test('an aborted signal ends the stream', async () => {
  const bench = rig({ tools: { one: { execute: neverAnswers } }, plans: [planOf([{ id: 's1', tool: 'one' }])] });
  void bench.runtime.invoke(REQUEST);
  while (bench.dispatches.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  const stop = new AbortController();
  const types: string[] = [];
  for await (const { event } of bench.runtime.sessions.watch('run_1', { signal: stop.signal })) {
    types.push(event.type);
    if (event.type === 'step_attempted') stop.abort();
  }
  expect(types.at(-1)).toBe('step_attempted');
});
