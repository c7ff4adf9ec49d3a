/** The seven metrics of the orchestration texts, computed by hand from facts. */

import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { measured, metricOf, readValue, times } from './measured.ts';

verifies('metrics:rate:plan-verification-pass', 'the share of plans that passed, or no data', () => {
  const runs = [measured({ plans: { verified: 3, passed: 2 } }), measured({ plans: { verified: 1, passed: 1 } })];
  expect(readValue('plan_verification_pass_rate', runs)).toBe(0.75);
  expect(metricOf('plan_verification_pass_rate', times(1))).toMatchObject({
    parts: [{ value: null }],
    verdict: 'no_data',
  });
});

verifies('metrics:rate:step-completion', 'the share of completed steps', () => {
  const steps = { started: 5, completed: 4, retried: 0, recovered: 0 };
  expect(readValue('step_completion_rate', times(2, { steps }))).toBe(0.8);
});

verifies('metrics:rate:retry-and-recovery', 'the share of retried steps, and of those the recovered ones', () => {
  const steps = { started: 10, completed: 9, retried: 4, recovered: 3 };
  expect(metricOf('retry_and_recovery_rate', times(1, { steps })).parts).toMatchObject([
    { name: 'retry', value: 0.4 },
    { name: 'recovery', value: 0.75 },
  ]);
  const none = { ...steps, retried: 0, recovered: 0 };
  expect(metricOf('retry_and_recovery_rate', times(1, { steps: none })).parts).toMatchObject([
    { value: 0 },
    { value: null },
  ]);
});

verifies('metrics:rate:lane-success-vs-replan', 'the share of accepted lanes, and of replanned tasks', () => {
  const runs = [
    measured({ lanes: { returned: 3, accepted: 2 }, replanned: true }),
    measured({ lanes: { returned: 1, accepted: 1 } }),
  ];
  expect(metricOf('lane_success_and_replan_rate', runs).parts).toMatchObject([
    { name: 'lane success', value: 0.75 },
    { name: 're-plan', value: 0.5 },
  ]);
});

verifies('metrics:rate:loop-guard-trips', 'the share of tasks that the loop guard stopped', () => {
  expect(readValue('loop_guard_trip_rate', [...times(2, { loop_guard_tripped: true }), ...times(8)])).toBe(0.2);
});

verifies('metrics:rate:escalation-by-risk-tier', 'the share of escalated tasks, by risk', () => {
  const runs = [
    ...times(1, { escalated: true }),
    ...times(9),
    ...times(3, { risk: 'high', escalated: true }),
    ...times(2, { risk: 'high' }),
  ];
  expect(metricOf('escalation_rate', runs).parts).toMatchObject([
    { name: 'low', value: 0.1 },
    { name: 'high', value: 0.6 },
  ]);
});

verifies('metrics:time:mean-to-safe-completion', 'the mean time of successful tasks only', () => {
  const failed = measured({ accepted: false, ended_at: 90_000 });
  const runs = [measured({ ended_at: 10_000 }), measured({ started_at: 5_000, ended_at: 25_000 }), failed];
  expect(readValue('mean_time_to_safe_completion', runs)).toBe(15_000);
  expect(readValue('mean_time_to_safe_completion', [failed])).toBeNull();
});
