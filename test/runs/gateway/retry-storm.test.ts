/**
 * Tests the breaker of a run: a tool that keeps failing is not called until a cooldown has passed or a person permits
 * one try.
 */
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { CAPS, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const BASE_MS = 1_000;
const COOLDOWN_MS = 30_000;

const failing = (changes: RigTool = {}): RigTool => ({
  retries_max: 3,
  produces: ['done'],
  execute: () => {
    throw new Error('overloaded');
  },
  ...changes,
});

const LONG = 40_000;

/** The first plan calls the flaky tool at once; later plans call it at once (`soon`) or after a slow step (`later`). */
function storm(tools: RigOptions['tools'] = {}, next: 'soon' | 'later' = 'soon'): RigOptions {
  const again = (n: number) => ({ id: `a${n}`, tool: 'flaky', params: { n } });
  const slow = { id: 'slow', tool: 'slow' };
  const plan = (n: number) =>
    next === 'soon' || n === 0 ? planOf([again(n)]) : planOf([slow, { ...again(n), depends_on: ['slow'] }]);
  return {
    tools: { flaky: failing(), slow: { timeout_ms: 2 * LONG }, ...tools },
    plans: Array.from({ length: 6 }, (_, n) => plan(n)),
    caps: { ...CAPS, retry_count_max: 3, replan_attempts_max: 0 },
    options: { limits: { retryBaseMs: BASE_MS, retryCooldownMs: COOLDOWN_MS } },
  };
}

const callsOf = ({ dispatches }: Rig): number => dispatches.filter(({ tool }) => tool === 'flaky').length;
/** Decides the escalation of the run with `continue`. */
async function goOn(bench: Rig, { runId, handoverHash }: RunOutcome): Promise<RunOutcome> {
  const about = { by: 'ben', reason: 'try it', packet_hash: handoverHash ?? '' };
  return await bench.settle(
    bench.runtime.sessions.send(runId, { type: 'escalation_decided', decision: 'continue', ...about }),
  );
}
const ofRun = (bench: Rig, runId: string) =>
  bench.runtime.agents.breakers().filter((reading) => reading.runId === runId);

verifies(
  ['budget:control-retry-storm:backoff-jitter-cap', 'terminate:repeated-failure:trip-breaker'],
  'retries with growing pauses up to the cap, then ends with REPEATED_FAILURE, an open breaker and no further dispatch',
  async () => {
    const bench = rig({ ...storm(), options: { limits: { retryBaseMs: BASE_MS, onEscalate: 'end' } } });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'REPEATED_FAILURE' });
    const at = bench.dispatches.map((dispatch) => dispatch.at);
    expect(at).toHaveLength(4);
    const pauses = at.slice(1).map((time, place) => time - (at[place] ?? 0));
    for (const [place, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(0);
      expect(pause).toBeLessThanOrEqual(BASE_MS * 2 ** place);
    }
    expect(ofRun(bench, run.runId)).toMatchObject([
      { tool: 'flaky', tenantId: 'tenant_a', runId: run.runId, state: 'open', retryAt: (at.at(-1) ?? 0) + COOLDOWN_MS },
    ]);
    expect(eventsOf(await bench.events(run.runId), 'run_escalated')).toMatchObject([
      { escalation: { trigger: 'repeated_failure' }, packet_hash: expect.any(String) },
    ]);
    await bench.runtime.records.replay(run.runId);
  },
);

verifies(
  'budget:control-retry-storm:backoff-jitter-cap',
  'refuses a call before the cooldown is over, and sends exactly one after it',
  async () => {
    for (const [next, sent] of [
      ['soon', 0],
      ['later', 1],
    ] as const) {
      const bench: Rig = rig(storm({ slow: { timeout_ms: 2 * LONG, execute: takesLong(() => bench) } }, next));
      const waiting = await bench.invoke();
      const { runId, handoverHash } = waiting;
      const more = {
        by: 'ben',
        reason: 'one more plan',
        delta: { replan_attempts: 1 },
        packet_hash: handoverHash ?? '',
      };
      await bench.settle(bench.runtime.sessions.send(runId, { type: 'budget_extended', ...more }));
      const run = await goOn(bench, waiting);
      // Four calls of the first plan, one that the person allowed, and those of the new plan.
      expect(callsOf(bench), next).toBe(4 + 1 + sent);
      const refused = eventsOf(await bench.events(runId), 'step_refused');
      expect(refused.map(({ layer, code }) => [layer, code])).toEqual(
        next === 'soon' ? [['infrastructure', 'dependency_unavailable']] : [],
      );
      const reason = next === 'soon' ? 'breaker_open' : 'replan_budget_exhausted';
      expect(run).toMatchObject({ status: 'paused', suspended: { code: 'REPEATED_FAILURE', reason } });
      await bench.runtime.records.replay(runId);
    }
  },
);

const takesLong =
  (bench: () => Rig): NonNullable<RigTool['execute']> =>
  async (_, { signal }) => {
    await bench().clock.until(bench().clock.nowMs() + LONG, signal);
    return { ok: true };
  };

test('a decision to continue allows one call before the cooldown; its failure opens the breaker again', async () => {
  const bench = rig(storm());
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'paused', suspended: { code: 'REPEATED_FAILURE' } });
  expect(callsOf(bench)).toBe(4);
  const again = await goOn(bench, run);
  expect(again).toMatchObject({ status: 'paused', suspended: { code: 'REPEATED_FAILURE' } });
  expect(callsOf(bench)).toBe(5);
  expect(ofRun(bench, run.runId)).toMatchObject([{ state: 'open', failuresInARow: 2 }]);
  await bench.runtime.records.replay(run.runId);
});

test('a successful trial call closes the breaker', async () => {
  let left = 4;
  const execute: RigTool['execute'] = () => {
    left -= 1;
    if (left >= 0) throw new Error('overloaded');
    return { ok: true };
  };
  const bench = rig(storm({ flaky: failing({ execute }) }));
  const run = await bench.invoke();
  const done = await goOn(bench, run);
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.runtime.agents.breakers()).toEqual([]);
  await bench.runtime.records.replay(run.runId);
});

test('a process that takes the run over sees the open breaker, and other runs are unaffected', async () => {
  const first = rig(storm());
  const run = await first.invoke();
  const next = restartProcess(first, storm());
  await next.settle(next.runtime.resume(run.runId));
  expect(ofRun(next, run.runId)).toMatchObject([{ tool: 'flaky', state: 'open' }]);
  const other = rig(storm({ flaky: failing({ retries_max: 0 }) }));
  await other.invoke();
  const calls = callsOf(other);
  await other.invoke();
  expect(callsOf(other)).toBeGreaterThan(calls);
});

test('rejects a recorded clearance that comes before the end of the cooldown', async () => {
  const options = storm();
  const bench = rig(options);
  const run = await bench.invoke();
  const events = await bench.events(run.runId);
  const env = kernelOf(options);
  const cleared = eventsOf(events, 'step_cleared').at(-1);
  if (cleared === undefined) throw new Error('no call was cleared');
  const state = before(env, events, 'step_cleared');
  const tripped = { flaky: { times: 1, until: state.now + 1 } };
  expect(offer(env, { ...state, work: { ...state.work, tripped } }, cleared)[2]?.message).toContain('too early');
});
