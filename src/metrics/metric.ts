import { z } from 'zod';
import { exact } from '../model/json/exact.ts';
import type { MeasuredRuns, MetricPart } from './measure.ts';

/** The metrics of the bounded autonomy report. */
export const REPORT_METRIC_IDS = [
  'task_success_rate',
  'correct_termination',
  'trajectory_validity',
  'trajectory_efficiency',
  'escalation_accuracy',
  'step_count',
  'loop_depth',
  'tool_call_count',
  'failed_tool_calls',
  'retry_rate',
  'timeout_rate',
  'budget_adherence',
  'cost_per_success',
  'grounding_rate',
  'memory_quality',
  'human_override_rate',
  'user_correction_rate',
  'trace_completeness',
] as const;
export type ReportMetricId = (typeof REPORT_METRIC_IDS)[number];

/** The metrics of the orchestration and decision plane texts. */
export const LOOP_METRIC_IDS = [
  'plan_verification_pass_rate',
  'step_completion_rate',
  'retry_and_recovery_rate',
  'escalation_rate',
  'lane_success_and_replan_rate',
  'mean_time_to_safe_completion',
  'loop_guard_trip_rate',
] as const;
export type LoopMetricId = (typeof LOOP_METRIC_IDS)[number];

export type MetricId = ReportMetricId | LoopMetricId;
export const METRIC_IDS: readonly MetricId[] = [...REPORT_METRIC_IDS, ...LOOP_METRIC_IDS];
export const MetricId: z.ZodType<MetricId> = z.enum([...REPORT_METRIC_IDS, ...LOOP_METRIC_IDS]);

/** The bound that a value has to keep. */
export type Bound = { readonly at_least: number } | { readonly at_most: number };
export const Bound: z.ZodType<Bound> = exact(
  z.union([z.strictObject({ at_least: z.number() }), z.strictObject({ at_most: z.number() })], {
    error: 'must be { "at_least": number } or { "at_most": number }',
  }),
);

/** One metric of the registry. */
export interface Metric {
  readonly title: string;
  /** `share`: 0 to 1. `ratio`: a quotient that may exceed 1. */
  readonly unit: MetricUnit;
  /** Null for a metric whose target depends on the workflow. It then has a verdict only if the host sets a target. */
  readonly target: Bound | null;
  readonly numerator: string;
  readonly denominator: string;
  /** The records that the numbers come from. */
  readonly collection: string;
  readonly detects: string;
  /** The people who act on a bad value. */
  readonly owner: MetricOwner;
  /** The source text that names the metric. */
  readonly source: 'report' | 'orchestration';
  /** The metric needs labels, so it covers only the runs that have them. */
  readonly labelled?: true;
  readonly measure: (runs: MeasuredRuns) => readonly MetricPart[];
}

export const METRIC_UNITS = ['share', 'ratio', 'count', 'usd', 'ms'] as const;
export type MetricUnit = (typeof METRIC_UNITS)[number];

export type MetricOwner = 'agent team' | 'platform team' | 'operators' | 'risk and compliance';

export const keepsBound = (value: number, bound: Bound): boolean =>
  'at_least' in bound ? value >= bound.at_least : value <= bound.at_most;
