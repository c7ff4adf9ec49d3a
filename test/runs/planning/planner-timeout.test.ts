/** Tests the planner timeout: between five and thirty seconds, by task class. */
import { expect, test } from 'vitest';
import { ambit, modelProfile, planFirst } from '../../../src/compose.ts';
import type { KernelLimits } from '../../../src/model/budget/kernel-limits.ts';
import { frameEvents } from '../../../src/model/events/frame-events.ts';
import type { Timer } from '../../../src/ports/clock.ts';
import type { Planner, PlanRequest } from '../../../src/ports/model/planner.ts';
import type { Ambit } from '../../../src/runtime/ambit.ts';
import type { PlannerTimeouts } from '../../../src/session/perform/ask-planner.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { type SimulatedClock, simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, letTimePass, REQUEST, rig, START_MS, toolSpec } from '../rig.ts';

interface Asked {
  readonly at: number;
  readonly reason: PlanRequest['reason'];
  readonly signal: AbortSignal;
}

/** A planner that never answers and records when and why it was called. */
function silentPlanner(clock: SimulatedClock): Planner & { readonly asked: readonly Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    propose: ({ reason }, signal) => {
      asked.push({ at: clock.nowMs() - START_MS, reason, signal });
      return new Promise(() => undefined);
    },
  };
}

function runtimeWith(
  planner: Planner,
  clock: SimulatedClock,
  plannerTimeouts: PlannerTimeouts,
  limits: Partial<KernelLimits> = {},
): Ambit {
  const tools = [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }];
  return ambit({
    agent: agentFor(['finish']),
    tools,
    planner,
    limits,
    world: { clock, timer: clock, plannerTimeouts },
  });
}

verifies('plan:timeout:cap-by-task-class', 'aborts a silent planner after the timeout of the task class', async () => {
  const { clock, settle } = rig({});
  const planner = silentPlanner(clock);
  const runtime = runtimeWith(planner, clock, { usualMs: 30_000, byTaskClass: { task: 5_000, research: 20_000 } });
  const outcome = await settle(runtime.invoke(REQUEST));
  expect(planner.asked.map(({ at }) => at)).toEqual([0, 5_000, 10_000]);
  expect(planner.asked[1]?.reason?.code).toBe('planner_timeout');
  expect(planner.asked.every(({ signal }) => signal.aborted)).toBe(true);
  expect(outcome).toMatchObject({ status: 'paused', reason: 'planner_timeout' });
  expect(clock.nowMs()).toBe(START_MS + 15_000);
});

verifies('plan:timeout:cap-by-task-class', 'uses the default timeout for a task class without its own', async () => {
  const { clock, settle } = rig({});
  const planner = silentPlanner(clock);
  const runtime = runtimeWith(planner, clock, { usualMs: 12_000, byTaskClass: { research: 5_000 } });
  await settle(runtime.invoke(REQUEST));
  expect(planner.asked.map(({ at }) => at)).toEqual([0, 12_000, 24_000]);
});

test('rejects the invocation if the timer fails, instead of waiting for ever', async () => {
  const { clock, settle } = rig({});
  const due = START_MS + 5_000;
  const until: Timer['until'] = (at, signal) =>
    at === due ? Promise.reject(new Error('the timer is broken')) : clock.until(at, signal);
  const runtime = ambit({
    agent: agentFor(['finish']),
    tools: [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }],
    planner: silentPlanner(clock),
    world: { clock, timer: { until }, plannerTimeouts: { usualMs: 5_000, byTaskClass: {} } },
  });
  await expect(settle(runtime.invoke(REQUEST))).rejects.toThrow('the timer is broken');
});

for (const timeoutMs of [4_000, 4_999, 30_001, 31_000, Number.NaN]) {
  verifies('plan:timeout:range-enforced', `rejects a timeout of ${timeoutMs} ms at the start`, () => {
    const clock = simulatedClock(START_MS);
    const planner = silentPlanner(clock);
    const refused = expect.objectContaining({ code: 'planner_timeout_out_of_range' });
    expect(() => runtimeWith(planner, clock, { usualMs: 5_000, byTaskClass: { task: timeoutMs } })).toThrow(refused);
    expect(() => runtimeWith(planner, clock, { usualMs: timeoutMs, byTaskClass: {} })).toThrow(refused);
  });
}

verifies('plan:timeout:range-enforced', 'accepts both ends of the range', () => {
  const clock = simulatedClock(START_MS);
  const timeouts = { usualMs: 5_000, byTaskClass: { task: 30_000 } };
  expect(() => runtimeWith(silentPlanner(clock), clock, timeouts)).not.toThrow();
});

const WIDE = { plannerTimeoutRangeMs: [1_000, 120_000] } as const;

verifies('plan:timeout:range-enforced', 'a host may name another range, and a limit outside it is refused', () => {
  const clock = simulatedClock(START_MS);
  const planner = silentPlanner(clock);
  for (const usualMs of [1_000, 120_000]) {
    expect(() => runtimeWith(planner, clock, { usualMs, byTaskClass: {} }, WIDE)).not.toThrow();
  }
  for (const usualMs of [999, 120_001]) {
    const refused = expect.objectContaining({
      code: 'planner_timeout_out_of_range',
      message: expect.stringContaining('1,000 to 120,000 ms') as string,
    });
    expect(() => runtimeWith(planner, clock, { usualMs, byTaskClass: {} }, WIDE)).toThrow(refused);
  }
  const reversed = { plannerTimeoutRangeMs: [2_000, 1_000] } as const;
  expect(() => runtimeWith(planner, clock, { usualMs: 1_500, byTaskClass: {} }, reversed)).toThrow(
    expect.objectContaining({ code: 'input_invalid', path: '/limits/plannerTimeoutRangeMs' }),
  );
});

verifies(
  'plan:timeout:range-enforced',
  'a named range is in the manifest with its limits, and is enforced',
  async () => {
    const clock = simulatedClock(START_MS);
    const timeouts = { usualMs: 20_000, byTaskClass: { task: 90_000 } };
    const runtime = runtimeWith(silentPlanner(clock), clock, timeouts, WIDE);
    const { runId } = await letTimePass(clock, runtime.invoke(REQUEST));
    const events = (await runtime.records.frames(runId)).flatMap(frameEvents);
    expect(events.find(({ type }) => type === 'run_initialized')).toMatchObject({
      manifest: { planner_timeouts: { range_ms: [1_000, 120_000], usual_ms: 20_000, by_task_class: { task: 90_000 } } },
    });
    const failed = events.find(({ type }) => type === 'plan_failed');
    expect(failed).toMatchObject({ at: START_MS + 90_000, message: 'the planner did not answer within 90000 ms' });
    await runtime.records.replay(runId);
    const usual = runtimeWith(silentPlanner(clock), clock, { usualMs: 5_000, byTaskClass: {} });
    const plain = await letTimePass(clock, usual.invoke(REQUEST));
    const [initialized] = (await usual.records.frames(plain.runId))
      .flatMap(frameEvents)
      .flatMap((event) => (event.type === 'run_initialized' ? [event] : []));
    expect(initialized?.manifest).not.toHaveProperty('planner_timeouts');
  },
);

test('rejects a request time that is longer than every planning time', () => {
  const clock = simulatedClock(START_MS);
  const withRequest = (requestTimeoutMs: number | undefined, planned: PlannerTimeouts): Ambit => {
    const time = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
    const planner = planFirst({ model: modelProfile(scriptedModel([]), { name: 'slow', ...time }) });
    return runtimeWith(planner, clock, planned, WIDE);
  };
  const times = { usualMs: 10_000, byTaskClass: { research: 60_000 } };
  expect(() => withRequest(60_001, times)).toThrow(
    "the planner's model profile slow gives one request 60001 ms, but the planning with all its requests ends after 60000 ms: lower requestTimeoutMs, or raise world.plannerTimeouts",
  );
  expect(() => withRequest(60_000, times)).not.toThrow();
  // The default of one request does not force a planning time.
  expect(() => withRequest(undefined, { usualMs: 5_000, byTaskClass: {} })).not.toThrow();
});
