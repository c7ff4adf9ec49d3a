import type { LabelFields } from '../model/record/run-label.ts';
import type { RunFacts } from './run-facts.ts';

/** An ended run with the label that people gave it; null without one. */
export interface MeasuredRun {
  readonly facts: RunFacts;
  readonly label: LabelFields | null;
}

/** The runs of one group of a report. A lane is part of its parent's task, so it is no task of its own. */
export interface MeasuredRuns {
  /** The runs that were started. */
  readonly tasks: readonly MeasuredRun[];
  /** The tasks and the runs of their lanes. */
  readonly all: readonly MeasuredRun[];
}

/** One number of a metric, with the two numbers that it is made of. */
export interface MetricPart {
  /** Distinguishes the parts of a metric that has several, such as `precision` and `recall`. */
  readonly name: string | null;
  readonly numerator: number;
  readonly denominator: number;
  /** Null if there is no data: the denominator is zero. It is never replaced by 0 or 1. */
  readonly value: number | null;
  /** The 95 % interval of a share that was measured on a sample; null for all other values. */
  readonly interval: readonly [low: number, high: number] | null;
  /** The runs behind a bad value, each with its reason; at most `NAMED_MAX`. */
  readonly named: readonly string[];
}

/** The maximum number of runs that a part names. */
const NAMED_MAX = 20;

/** The fields of a part that a metric states only if they differ from the usual ones. */
type Details = Partial<Pick<MetricPart, 'name' | 'named'>> & { readonly sampled?: boolean };

/** A quotient of two sums. `sampled` adds the interval of a share. */
export function quotient(numerator: number, denominator: number, details: Details = {}): MetricPart {
  const { name = null, named = [], sampled = false } = details;
  return {
    name,
    numerator,
    denominator,
    value: denominator === 0 ? null : numerator / denominator,
    interval: sampled && denominator > 0 ? wilson(numerator, denominator) : null,
    named: named.slice(0, NAMED_MAX),
  };
}

/** The share of runs for which something holds. */
export const shareOf = (
  runs: readonly MeasuredRun[],
  holds: (run: MeasuredRun) => boolean,
  details: Details = {},
): MetricPart => quotient(runs.filter(holds).length, runs.length, details);

export const sumOf = (runs: readonly MeasuredRun[], count: (run: MeasuredRun) => number): number =>
  runs.reduce((total, run) => total + count(run), 0);

/** The normal quantile of a two-sided 95 % interval. */
const Z = 1.959963984540054;

/** The Wilson score interval of a share. It stays within 0 and 1, also for few runs and for shares of 0 and 1. */
function wilson(hits: number, of: number): readonly [low: number, high: number] {
  const share = hits / of;
  const scale = 1 + Z ** 2 / of;
  const middle = share + Z ** 2 / (2 * of);
  const half = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}
