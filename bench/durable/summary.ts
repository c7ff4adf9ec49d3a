import { availableParallelism } from 'node:os';
import type { StoreWriter } from '../../src/model/run/store-name.ts';
import { median } from '../harness/quantile.ts';
import type { Speed } from './step-track.ts';
import type { Growth } from './growth.ts';
import { PENDING, type Pending, type ResumeTimes } from './resume.ts';
import { PAYLOAD_BYTES, SESSIONS } from './steps.ts';

export interface Measurements {
  /** One entry per round, in the same order as `raw`. */
  readonly ambit: readonly Speed[];
  readonly raw: readonly Speed[];
  /** Speed of `ambit` right after the start of its process. */
  readonly cold: Speed;
  /** Which writer `ambit` used. */
  readonly writer: StoreWriter;
  readonly growth: Growth;
  readonly resume: ResumeTimes;
}

/** The last line of `--json`. */
export interface DurableSummary {
  readonly ambit: {
    readonly writer: StoreWriter;
    readonly steps_per_s: number;
    readonly steps_per_s_cold: number;
    readonly bytes_per_step_10: number;
    readonly bytes_per_step_1000: number;
    /** With a read pending. */
    readonly resume_ratio_1000_to_10: number;
    /** With a change pending. */
    readonly resume_change_ratio_1000_to_10: number;
  };
  /** Steps per second of the raw store. */
  readonly limit: number;
  readonly ratio_to_limit: number;
}

/** The ratio is the median of the rounds' ratios, because a temporary slowdown affects both contenders. */
export function durableSummary({ ambit, raw, cold, writer, growth, resume }: Measurements): DurableSummary {
  const ratios = ambit.map(({ stepsPerS }, round) => stepsPerS / (raw[round]?.stepsPerS ?? Number.NaN));
  return {
    ambit: {
      writer,
      steps_per_s: Math.round(middle(ambit, 'stepsPerS')),
      steps_per_s_cold: Math.round(cold.stepsPerS),
      bytes_per_step_10: Math.round(growth.bytesPerStep10),
      bytes_per_step_1000: Math.round(growth.bytesPerStep1000),
      resume_ratio_1000_to_10: resumeRatio(resume, 'read'),
      resume_change_ratio_1000_to_10: resumeRatio(resume, 'change'),
    },
    limit: Math.round(middle(raw, 'stepsPerS')),
    ratio_to_limit: hundredths(median(ratios)),
  };
}

/** The table for people. */
export function durableTable(found: Measurements): string {
  const { growth, resume } = found;
  const { ambit, limit, ratio_to_limit } = durableSummary(found);
  return [
    `Node ${process.version}, ${availableParallelism()} cores; medians of ${found.ambit.length} interleaved rounds`,
    `${SESSIONS} sessions, every step durable before the next, ${PAYLOAD_BYTES} random bytes per step; writer: ${ambit.writer}`,
    '',
    `${'what'.padEnd(40)}${'steps per s'.padStart(12)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'CPU µs'.padStart(9)}`,
    row('Ambit: gateway, policies, critic, journal', ambit.steps_per_s, found.ambit),
    row('raw store: one row per step (limit)', limit, found.raw),
    `ratio to the limit: ${ratio_to_limit.toFixed(2)}`,
    `right after the start: ${ambit.steps_per_s_cold.toLocaleString('en')} steps per s`,
    '',
    `bytes per step: ${ambit.bytes_per_step_10} in runs of 10, ${ambit.bytes_per_step_1000} in runs of 1,000`,
    `bytes per run apart from its steps: ${Math.round(growth.bytesPerRun)}`,
    ...PENDING.map((pending) => `from resume to the next call, ${pending} pending: ${resumeLine(resume, pending)}`),
  ].join('\n');
}

function row(label: string, stepsPerS: number, rounds: readonly Speed[]): string {
  const cells = [
    label.padEnd(40),
    stepsPerS.toLocaleString('en').padStart(12),
    middle(rounds, 'p50Ms').toFixed(2).padStart(9),
    middle(rounds, 'p99Ms').toFixed(2).padStart(9),
    middle(rounds, 'cpuUsPerStep').toFixed(0).padStart(9),
  ];
  return cells.join('');
}

const middle = (rounds: readonly Speed[], field: keyof Speed): number => median(rounds.map((speed) => speed[field]));

const resumeLine = (times: ResumeTimes, pending: Pending): string =>
  times
    .filter((time) => time.pending === pending)
    .map(({ steps, ms }) => `${ms.toFixed(2)} ms after ${steps.toLocaleString('en')} steps`)
    .join(', ');

function resumeRatio(times: ResumeTimes, pending: Pending): number {
  const ms = (steps: number): number =>
    times.find((time) => time.pending === pending && time.steps === steps)?.ms ?? Number.NaN;
  return hundredths(ms(1_000) / ms(10));
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;
