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

/** A neighbour on the same core can only add to a batch, so the better batches say more than the middle one. */
const QUARTILE = 0.25;

/** Fewer have no quarters; the longest plans are verified only this often. */
const BATCHES_MIN = 5;

/**
 * Times one contender in this process: CPU time of all its threads, collector and compiler included, after a warm-up.
 * A batch lasts tens of milliseconds, so every batch pays for its own garbage.
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
