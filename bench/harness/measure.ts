import type { Contender } from './contender.ts';
import { quantile } from './quantile.ts';

export interface Measured {
  readonly usPerStep: number;
  readonly batches: number;
}

export interface Duration {
  readonly warmUpMs: number;
  readonly timedMs: number;
}

/** The reported quantile of the batches: other load can only slow a batch down, so faster batches tell more. */
const QUARTILE = 0.25;

/** Smallest number of batches; the longest plans are verified only this often. */
const BATCHES_MIN = 5;

/**
 * Times one contender in this process after a warm-up: CPU time of all threads, including garbage collection and
 * compilation. A batch lasts tens of milliseconds, so that it pays for its own garbage.
 */
export async function measure(contender: Contender, { warmUpMs, timedMs }: Duration): Promise<Measured> {
  const start = process.cpuUsage();
  while (spentUs(start) < warmUpMs * 1_000) await contender.prepare()();
  const batches: number[] = [];
  for (let us = 0; us < timedMs * 1_000 || batches.length < BATCHES_MIN; us += batches.at(-1) ?? 0) {
    const batch = contender.prepare();
    const before = process.cpuUsage();
    await batch();
    batches.push(spentUs(before));
  }
  return { usPerStep: quantile(batches, QUARTILE) / contender.stepsPerBatch, batches: batches.length };
}

function spentUs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}
