import { availableParallelism } from 'node:os';
import { CONTENDERS } from '../contenders/contenders.ts';
import { EVENTS_PER_STEP } from './contender.ts';
import type { Medians } from './rounds.ts';
import type { Summary } from './summary.ts';

/** The table for people. */
export function table(medians: Medians, summary: Summary, peers: readonly string[]): string {
  const ours = summary.ambit.us_per_step;
  const rows = [...medians].map(([name, us]) => row(CONTENDERS.get(name)?.label ?? name, us, us / ours));
  return [
    `Node ${process.version}, ${availableParallelism()} cores; ${peers.join(', ')}`,
    'CPU time of the complete process, one process per contender, medians of interleaved rounds',
    '',
    `${'what'.padEnd(40)}${'µs per step'.padStart(13)}${'steps per s'.padStart(14)}${'× Ambit'.padStart(10)}`,
    ...rows,
    '',
    `Ambit: ${(ours / EVENTS_PER_STEP).toFixed(2)} µs per event, ${EVENTS_PER_STEP} events per step (limit ${summary.limit} µs per step)`,
    `best peer over Ambit: bare cycle ${summary.ratio_to_best_peer.toFixed(2)}, whole run ${summary.ratio_full.toFixed(2)}`,
    `plan verification, time per step at 10,000 steps over that at 10: ${summary.verify_growth.toFixed(2)}`,
  ].join('\n');
}

function row(label: string, us: number, ratio: number): string {
  const perSecond = Math.round(1e6 / us).toLocaleString('en');
  return `${label.padEnd(40)}${us.toFixed(2).padStart(13)}${perSecond.padStart(14)}${ratio.toFixed(2).padStart(10)}`;
}
