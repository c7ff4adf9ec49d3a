/** Rates over many runs, and the counts that one run adds. */
import { describe, expect, test } from 'vitest';
import { type RunCounts, ratesOf } from '../../../src/record/telemetry/rates.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, rig } from '../rig.ts';

const NOTHING: RunCounts = {
  run_id: 'run_1',
  risk: 'low',
  accepted: true,
  escalated: false,
  duration_ms: 0,
  plans: { verified: 0, passed: 0 },
  steps: { started: 0, completed: 0, retried: 0, recovered: 0 },
  lanes: { returned: 0, accepted: 0 },
  replanned: false,
  loop_guard_tripped: false,
};
const run = (counts: Partial<RunCounts>): RunCounts => ({ ...NOTHING, ...counts });
const times = (count: number, counts: Partial<RunCounts>): readonly RunCounts[] => Array(count).fill(run(counts));

describe('over many runs', () => {
  verifies(
    'metrics:rate:plan-verification-pass',
    'the share of plans that passed, or null if none was verified',
    () => {
      const runs = [run({ plans: { verified: 3, passed: 2 } }), run({ plans: { verified: 1, passed: 1 } })];
      expect(ratesOf(runs).plan_verification_pass).toBe(0.75);
      expect(ratesOf([NOTHING]).plan_verification_pass).toBeNull();
      expect(ratesOf([])).toMatchObject({ runs: 0, replan: null, mean_ms_to_safe_completion: null });
    },
  );

  verifies('metrics:rate:step-completion', 'the share of completed steps', () => {
    const steps = { started: 5, completed: 4, retried: 0, recovered: 0 };
    expect(ratesOf(times(2, { steps })).step_completion).toBe(0.8);
  });

  verifies('metrics:rate:retry-and-recovery', 'the share of retried steps, and of those the recovered ones', () => {
    const steps = { started: 10, completed: 9, retried: 4, recovered: 3 };
    expect(ratesOf([run({ steps })])).toMatchObject({ retry: 0.4, recovery: 0.75 });
    expect(ratesOf([run({ steps: { ...steps, retried: 0, recovered: 0 } })])).toMatchObject({
      retry: 0,
      recovery: null,
    });
  });

  verifies('metrics:rate:lane-success-vs-replan', 'the share of accepted lanes, and of replanned runs', () => {
    const runs = [
      run({ lanes: { returned: 3, accepted: 2 }, replanned: true }),
      run({ lanes: { returned: 1, accepted: 1 } }),
    ];
    expect(ratesOf(runs)).toMatchObject({ lane_success: 0.75, replan: 0.5 });
  });

  verifies('metrics:rate:loop-guard-trips', 'the share of runs stopped by the loop guard', () => {
    const runs = [...times(2, { loop_guard_tripped: true }), ...times(8, {})];
    expect(ratesOf(runs).loop_guard_trip).toBe(0.2);
  });

  verifies('metrics:rate:escalation-by-risk-tier', 'the share of escalated runs, by risk', () => {
    const runs = [
      ...times(1, { escalated: true }),
      ...times(9, {}),
      ...times(3, { risk: 'high', escalated: true }),
      ...times(2, { risk: 'high' }),
    ];
    expect(ratesOf(runs).escalation_by_risk).toEqual({ low: 0.1, high: 0.6 });
  });

  verifies('metrics:time:mean-to-safe-completion', 'the mean time of successful runs only', () => {
    const failed = run({ accepted: false, duration_ms: 90_000 });
    const runs = [run({ duration_ms: 10_000 }), run({ duration_ms: 20_000 }), failed];
    expect(ratesOf(runs).mean_ms_to_safe_completion).toBe(15_000);
    expect(ratesOf([failed]).mean_ms_to_safe_completion).toBeNull();
  });
});

describe('the counts of a run', () => {
  verifies('metrics:rate:retry-and-recovery', 'ten steps, four of them retried, three recovered', async () => {
    const tries = new Map<unknown, number>();
    const bench = rig({
      tools: {
        steady: {},
        flaky: {
          retries_max: 1,
          execute: ({ fails, n }) => {
            const made = (tries.get(n) ?? 0) + 1;
            tries.set(n, made);
            if (made <= Number(fails)) throw new Error('not now');
            return { ok: true };
          },
        },
        finish: { produces: ['done'] },
      },
      plans: [
        planOf([
          ...[1, 1, 1, 2].map((fails, n) => ({ id: `f${n}`, tool: 'flaky', params: { n, fails }, optional: true })),
          ...[0, 1, 2, 3, 4].map((n) => ({ id: `s${n}`, tool: 'steady', params: { n } })),
          { id: 'end', tool: 'finish', depends_on: ['s4'] },
        ]),
      ],
    });
    const { runId } = await bench.invoke();
    const counts = await bench.runtime.records.counts(runId);
    expect(counts.steps).toEqual({ started: 10, completed: 9, retried: 4, recovered: 3 });
    expect(ratesOf([counts])).toMatchObject({ retry: 0.4, recovery: 0.75, step_completion: 0.9 });
    // Each retry was a dispatch: three steps were sent once more and worked, the fourth failed twice.
    expect([...tries.values()]).toEqual([2, 2, 2, 2]);
  });

  test('count steps, retries with and without recovery, and the duration', async () => {
    let tries = 0;
    const bench = rig({
      tools: {
        flaky: {
          execute: () => {
            tries += 1;
            if (tries === 1) throw new Error('not now');
            return { ok: true };
          },
          retries_max: 2,
        },
        broken: {
          execute: () => {
            throw new Error('never');
          },
          retries_max: 1,
        },
        finish: { produces: ['done'] },
      },
      plans: [
        planOf([
          { id: 'a', tool: 'flaky' },
          { id: 'b', tool: 'broken', optional: true },
          { id: 'c', tool: 'finish', depends_on: ['a'] },
        ]),
      ],
    });
    const { runId } = await bench.invoke();
    const events = await bench.events(runId);
    expect(await bench.runtime.records.counts(runId)).toEqual({
      ...NOTHING,
      run_id: runId,
      duration_ms: (events.at(-1)?.at ?? 0) - (events[0]?.at ?? 0),
      plans: { verified: 1, passed: 1 },
      steps: { started: 3, completed: 2, retried: 2, recovered: 1 },
    });
  });

  test('count rejected plans, replans and lanes', async () => {
    const refused = planOf([{ id: 'a', tool: 'nowhere' }]);
    const bench = rig({
      tools: { north: { produces: ['north'] }, south: { produces: ['south'] }, report: { produces: ['done'] } },
      plans: [
        refused,
        planOf([
          { id: 'a', tool: 'north' },
          { id: 'b', tool: 'south' },
          { id: 'c', tool: 'report', depends_on: ['a', 'b'] },
        ]),
      ],
      caps: { ...CAPS, lanes_max: 10, replan_attempts_max: 2 },
      options: { limits: { parallelSteps: 2 } },
    });
    const { runId } = await bench.invoke();
    expect(await bench.runtime.records.counts(runId)).toMatchObject({
      accepted: true,
      replanned: true,
      plans: { verified: 2, passed: 1 },
      lanes: { returned: 2, accepted: 2 },
      loop_guard_tripped: false,
    });
  });

  test('count escalation, risk and loop guard stops', async () => {
    const broken = (): never => {
      throw new Error('down');
    };
    const handedOver = rig({
      tools: { post: { retries_max: 0, execute: broken }, finish: { produces: ['done'] } },
      plans: [planOf([{ id: 'a', tool: 'post' }])],
      caps: { ...CAPS, replan_attempts_max: 0 },
      agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk: 'moderate' })) }),
    });
    const stopped = await handedOver.invoke();
    expect(stopped.status).toBe('paused');
    expect(await handedOver.runtime.records.counts(stopped.runId)).toMatchObject({
      accepted: false,
      escalated: true,
      risk: 'moderate',
      loop_guard_tripped: false,
      steps: { started: 1, completed: 0, retried: 0 },
    });
    const same = Array.from({ length: 6 }, (_, at) => ({ id: `s${at}`, tool: 'read', params: { page: 1 } }));
    const looping = rig({ tools: { read: {}, finish: { produces: ['done'] } }, plans: [planOf(same)] });
    const { runId, reason } = await looping.invoke();
    expect(reason).toBe('loop_detected');
    expect(await looping.runtime.records.counts(runId)).toMatchObject({ accepted: false, loop_guard_tripped: true });
  });
});
