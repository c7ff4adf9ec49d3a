import { availableParallelism } from 'node:os';
import type { StoreWriter } from '../../src/model/store-name.ts';
import { median } from '../harness/quantile.ts';
import type { Speed } from './course.ts';
import type { Growth } from './growth.ts';
import type { ResumeTimes } from './resume.ts';
import { PAYLOAD_BYTES, SESSIONS } from './steps.ts';

export interface Measurements {
  /** Round by round, in the same order. */
  readonly ambit: readonly Speed[];
  readonly raw: readonly Speed[];
  /** Of `ambit` when its process had just started. */
  readonly cold: Speed;
  /** Who wrote to the file of `ambit`. */
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
    readonly resume_ratio_1000_to_10: number;
  };
  /** Steps a second of the raw store. */
  readonly limit: number;
  readonly ratio_to_limit: number;
}

/** The ratio is the median of the rounds' own ratios: what slows the machine down for a while slows down both. */
export function durableSummary({ ambit, raw, cold, writer, growth, resume }: Measurements): DurableSummary {
  const ratios = ambit.map(({ stepsPerS }, round) => stepsPerS / (raw[round]?.stepsPerS ?? Number.NaN));
  return {
    ambit: {
      writer,
      steps_per_s: Math.round(middle(ambit, 'stepsPerS')),
      steps_per_s_cold: Math.round(cold.stepsPerS),
      bytes_per_step_10: Math.round(growth.bytesPerStep10),
      bytes_per_step_1000: Math.round(growth.bytesPerStep1000),
      resume_ratio_1000_to_10: hundredths(resumeMs(resume, 1_000) / resumeMs(resume, 10)),
    },
    limit: Math.round(middle(raw, 'stepsPerS')),
    ratio_to_limit: hundredths(median(ratios)),
  };
}

/** What a person reads. */
export function durableTable(found: Measurements): string {
  const { growth, resume } = found;
  const { ambit, limit, ratio_to_limit } = durableSummary(found);
  return [
    `Node ${process.version}, ${availableParallelism()} cores; medians of ${found.ambit.length} rounds in turn`,
    `${SESSIONS} sessions, every step durable before the next, ${PAYLOAD_BYTES} random bytes a step; writer: ${ambit.writer}`,
    '',
    `${'what'.padEnd(40)}${'steps per s'.padStart(12)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'CPU µs'.padStart(9)}`,
    row('Ambit: gateway, policies, critic, journal', ambit.steps_per_s, found.ambit),
    row('raw store: one row a step (limit)', limit, found.raw),
    `ratio to the limit: ${ratio_to_limit.toFixed(2)}`,
    `right after the start: ${ambit.steps_per_s_cold.toLocaleString('en')} steps per s`,
    '',
    `bytes a step: ${ambit.bytes_per_step_10} in runs of 10, ${ambit.bytes_per_step_1000} in runs of 1,000`,
    `bytes a run beside its steps: ${Math.round(growth.bytesPerRun)}`,
    `from resume to the next call: ${resume.map(({ steps, ms }) => `${ms.toFixed(2)} ms after ${steps.toLocaleString('en')} steps`).join(', ')}`,
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

const resumeMs = (times: ResumeTimes, steps: number): number =>
  times.find((time) => time.steps === steps)?.ms ?? Number.NaN;

const hundredths = (value: number): number => Math.round(value * 100) / 100;
