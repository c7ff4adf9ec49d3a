/** The eighteen metrics of the report, computed by hand from facts and labels. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Bound, REPORT_METRIC_IDS } from '../../../src/metrics/metric.ts';
import { RUN_METRICS } from '../../../src/metrics/registry.ts';
import { missingTraceFields } from '../../../src/metrics/trace-fields.ts';
import type { RunTrace } from '../../../src/model/record/trace.ts';
import { verifies } from '../../requirements/verifies.ts';
import { RUN_BY_CODE } from '../endings/run-by-code.ts';
import { traceRun } from '../records/traced.ts';
import { measured, metricOf, readValue, times } from './measured.ts';

verifies(
  'metrics:registry:eighteen-with-calibratable-targets',
  'eighteen metrics, whose targets a host can set',
  () => {
    expect(new Set(REPORT_METRIC_IDS).size).toBe(18);
    for (const id of REPORT_METRIC_IDS) {
      const { unit, collection, detects, owner, numerator, denominator } = RUN_METRICS[id];
      for (const text of [unit, collection, detects, owner, numerator, denominator]) expect(text).toMatch(/\w{2}/);
    }
    const runs = [...times(1, { code: 'TIMEOUT' }), ...times(49)];
    const usual = metricOf('timeout_rate', runs);
    const lenient = metricOf('timeout_rate', runs, [{ metric: 'timeout_rate', target: { at_most: 0.05 } }]);
    expect([usual.parts, usual.verdict]).toEqual([lenient.parts, 'fail']);
    expect([lenient.parts[0]?.value, lenient.verdict]).toEqual([0.02, 'pass']);
  },
);

verifies('metrics:task-success-rate:labelled-outcomes', 'the share of labelled successes', () => {
  const of50 = (good: number) => [...times(good, {}, { success: true }), ...times(50 - good, {}, { success: false })];
  expect(metricOf('task_success_rate', of50(49))).toMatchObject({ parts: [{ value: 0.98 }], verdict: 'pass' });
  expect(metricOf('task_success_rate', of50(48))).toMatchObject({ parts: [{ value: 0.96 }], verdict: 'fail' });
  for (const runs of [[], times(3)]) {
    expect(metricOf('task_success_rate', runs)).toMatchObject({ parts: [{ value: null }], verdict: 'no_data' });
  }
});

test('a share of labelled runs has a 95 % interval', () => {
  const [part] = metricOf('task_success_rate', [
    ...times(8, {}, { success: true }),
    ...times(2, {}, { success: false }),
  ]).parts;
  // Wilson's interval for 8 of 10, from its formula by hand.
  expect(part?.interval?.[0]).toBeCloseTo(0.4901625, 7);
  expect(part?.interval?.[1]).toBeCloseTo(0.9433178, 7);
  expect(metricOf('timeout_rate', times(10)).parts[0]?.interval).toBeNull();
});

verifies(
  'metrics:correct-termination:code-vs-expected',
  'the share of expected codes, with the runs that differ',
  () => {
    const wrong = measured({ run_id: 'run_wrong', code: 'TIMEOUT' }, { expected_code: 'SUCCESS' });
    const found = metricOf('correct_termination', [wrong, ...times(19, {}, { expected_code: 'SUCCESS' })]);
    expect(found).toMatchObject({ parts: [{ value: 0.95, numerator: 19, denominator: 20 }], verdict: 'fail' });
    expect(found.parts[0]?.named).toEqual(['run_wrong: TIMEOUT, expected SUCCESS']);
  },
);

verifies('metrics:trajectory-validity:legal-transitions', 'the share of legal moves, with each illegal one', () => {
  const illegal = ['event 7: there is no edge from plan to terminate'];
  const found = metricOf('trajectory_validity', [measured({ moves: { total: 20, illegal } })]);
  expect(found).toMatchObject({ parts: [{ value: 0.95 }], verdict: 'fail' });
  expect(found.parts[0]?.named).toEqual(['run_1: event 7: there is no edge from plan to terminate']);
});

verifies('metrics:trajectory-efficiency:actual-over-reference', 'steps divided by those of the reference path', () => {
  const reference_path = Array.from({ length: 8 }, (_, at) => `tool_${at}`);
  const after = (cycles: number) => metricOf('trajectory_efficiency', [measured({ cycles }, { reference_path })]);
  expect(after(10)).toMatchObject({ parts: [{ value: 1.25 }], verdict: 'pass' });
  expect(after(11)).toMatchObject({ parts: [{ value: 1.375 }], verdict: 'fail' });
});

verifies('metrics:escalation-accuracy:precision-recall', 'precision and recall both have to keep the target', () => {
  const runs = (missed: number) => [
    ...times(19, { escalated: true }, { anomaly: true }),
    ...times(1, { escalated: true, run_id: 'run_alarm' }, { anomaly: false }),
    ...times(missed, { run_id: 'run_missed' }, { anomaly: true }),
    ...times(40, {}, { anomaly: false }),
  ];
  expect(metricOf('escalation_accuracy', runs(1))).toMatchObject({
    parts: [
      { name: 'precision', value: 0.95, named: ['run_alarm'] },
      { name: 'recall', value: 0.95, named: ['run_missed'] },
    ],
    verdict: 'pass',
  });
  const worse = metricOf('escalation_accuracy', [
    ...times(94, { escalated: true }, { anomaly: true }),
    ...times(6, {}, { anomaly: true }),
  ]);
  expect(worse).toMatchObject({ parts: [{ value: 1 }, { value: 0.94 }], verdict: 'fail' });
});

verifies('metrics:step-count:average-per-task', 'the mean of action cycles, without a verdict of its own', () => {
  const found = metricOf('step_count', [measured({ cycles: 4 }), measured({ cycles: 6 })]);
  expect(found).toMatchObject({ parts: [{ value: 5 }], target: null, verdict: 'no_target' });
});

verifies('metrics:loop-depth:max-recursion', 'the greatest depth, unless a label approves it', () => {
  const family = (depth: number, label: { readonly depth_approved: number } | null = null) => [
    measured({ run_id: 'run_task' }, label),
    measured({ run_id: 'run_lane', parent: 'run_task', depth }),
  ];
  expect(metricOf('loop_depth', family(2))).toMatchObject({ parts: [{ value: 2, named: [] }], verdict: 'pass' });
  expect(metricOf('loop_depth', family(3))).toMatchObject({
    parts: [{ value: 3, named: ['run_lane'] }],
    verdict: 'fail',
  });
  expect(metricOf('loop_depth', family(3, { depth_approved: 3 })).verdict).toBe('pass');
});

verifies('metrics:tool-call-count:per-task', 'sent calls per task, those of its lanes included', () => {
  const calls = (dispatched: number) => ({ dispatched, failed: 0, retries: 0 });
  const runs = [
    measured({ run_id: 'run_a', calls: calls(3) }),
    measured({ run_id: 'run_lane', parent: 'run_a', depth: 1, calls: calls(2) }),
    measured({ run_id: 'run_b', calls: calls(1) }),
  ];
  expect(readValue('tool_call_count', runs)).toBe(3);
});

verifies('metrics:failed-tool-calls:count-and-share', 'failed calls as a count and a share of sent calls', () => {
  const runs = [measured({ calls: { dispatched: 10, failed: 2, retries: 0 } })];
  expect(metricOf('failed_tool_calls', runs).parts).toMatchObject([{ numerator: 2, value: 0.2, named: ['run_1: 2'] }]);
});

verifies('metrics:retry-rate:per-dispatch', 'retries divided by sent calls', () => {
  const after = (retries: number) =>
    metricOf('retry_rate', [measured({ calls: { dispatched: 20, failed: 0, retries } })]);
  expect(after(1)).toMatchObject({ parts: [{ value: 0.05 }], verdict: 'pass' });
  expect(after(2)).toMatchObject({ parts: [{ value: 0.1 }], verdict: 'fail' });
});

verifies('metrics:timeout-rate:share-of-runs', 'the share of tasks that ended TIMEOUT', () => {
  const after = (late: number) => metricOf('timeout_rate', [...times(late, { code: 'TIMEOUT' }), ...times(100 - late)]);
  expect(after(1)).toMatchObject({ parts: [{ value: 0.01 }], verdict: 'pass' });
  expect(after(2)).toMatchObject({ parts: [{ value: 0.02 }], verdict: 'fail' });
  const oneSlowCall = { calls: { dispatched: 2, failed: 1, retries: 1 } };
  expect(readValue('timeout_rate', times(1, oneSlowCall))).toBe(0);
});

verifies('metrics:budget-adherence:hard-cap-compliance', 'the share of tasks within every cap', () => {
  const over = measured({ run_id: 'run_over', over_cap: ['tool_calls'] });
  const found = metricOf('budget_adherence', [over, ...times(3)]);
  expect(found).toMatchObject({ parts: [{ value: 0.75, named: ['run_over: tool_calls'] }], verdict: 'fail' });
  expect(metricOf('budget_adherence', times(3)).verdict).toBe('pass');
});

verifies('metrics:cost-per-success:failures-included', 'the cost of all tasks divided by the successful ones', () => {
  const failed = measured({ cost_usd: 3, code: 'REPEATED_FAILURE', accepted: false });
  expect(readValue('cost_per_success', [measured({ cost_usd: 1 }), failed])).toBe(4);
  expect(metricOf('cost_per_success', [failed])).toMatchObject({
    parts: [{ numerator: 3, value: null }],
    verdict: 'no_data',
  });
});

verifies('metrics:grounding-rate:verified-updates', 'the share of verified state updates', () => {
  const found = metricOf('grounding_rate', [measured({ updates: { total: 10, unverified: ['ev_4'] } })]);
  expect(found).toMatchObject({ parts: [{ value: 0.9, named: ['run_1: ev_4'] }], verdict: 'fail' });
});

verifies('metrics:memory-quality:supported-writes', 'the share of memories with a source', () => {
  const written = measured({ memory: { written: 4, unsupported: ['mem_2'] } });
  expect(metricOf('memory_quality', [written])).toMatchObject({ parts: [{ value: 0.75 }], verdict: 'fail' });
  expect(metricOf('memory_quality', times(2))).toMatchObject({ parts: [{ value: null }], verdict: 'no_data' });
});

verifies('metrics:human-override:overrides-over-approvals', 'overrides divided by decisions', () => {
  const runs = [measured({ decisions: { total: 10, overrides: 2 } })];
  expect(metricOf('human_override_rate', runs)).toMatchObject({ parts: [{ value: 0.2 }], verdict: 'no_target' });
  const target = [{ metric: 'human_override_rate', target: { at_most: 0.1 } }] as const;
  expect(metricOf('human_override_rate', runs, target).verdict).toBe('fail');
  const later = [measured({ decisions: { total: 10, overrides: 1 } }, { overrides: 1 })];
  expect(readValue('human_override_rate', later)).toBe(0.2);
});

verifies('metrics:user-correction:corrections-over-sessions', 'corrections divided by conversations', () => {
  const runs = [
    ...times(1, { run_id: 'run_a', thread: 'th_a' }, { corrections: 3 }),
    ...Array.from({ length: 11 }, (_, at) => measured({ run_id: `run_${at}` }, { corrections: 0 })),
  ];
  expect(readValue('user_correction_rate', runs)).toBe(0.25);
  const twice = [...runs, measured({ run_id: 'run_b', thread: 'th_a' }, { corrections: 0 })];
  expect(readValue('user_correction_rate', twice)).toBe(0.25);
});

verifies('metrics:trace-completeness:required-fields', 'the share of the fourteen fields', () => {
  const trace = traceRun(RUN_BY_CODE.SUCCESS());
  expect(missingTraceFields({ ...trace, escalation_events: [] })).toEqual([]);
  const { prompt_template_versions: _, ...lacking } = trace;
  const trace_missing = missingTraceFields(lacking as Partial<RunTrace>);
  expect(trace_missing).toEqual(['prompt_template_versions']);
  const found = metricOf('trace_completeness', [measured({ trace_missing })]);
  expect(found).toMatchObject({ parts: [{ numerator: 13, denominator: 14, value: 13 / 14 }], verdict: 'fail' });
});

test('the reference page shows the same table', () => {
  const page = readFileSync(new URL('../../../docs/reference/run-metrics.md', import.meta.url), 'utf8');
  const boundOf = (target: Bound): string => ('at_least' in target ? `≥ ${target.at_least}` : `≤ ${target.at_most}`);
  for (const [id, { unit, target, detects }] of Object.entries(RUN_METRICS))
    expect(page).toContain(`| \`${id}\` | ${unit} | ${target === null ? '' : boundOf(target)} | ${detects} |`);
});
