import { availableParallelism } from 'node:os';
import type { ReplayCost } from './length.ts';
import type { StoreCost } from './store.ts';

/** Costs of ten times the size, in the order from the smaller to the larger one. */
export interface Measurements {
  readonly lengths: readonly [ReplayCost, ReplayCost];
  readonly stores: readonly [StoreCost, StoreCost];
}

/** The last line of `--json`. A growth of 1 is linear; 0.1 means that the size does not matter. */
export interface ReplaySummary {
  readonly steps_per_cpu_s: number;
  readonly growth: number;
  readonly store_growth: number;
  readonly verify_runs_per_s: number;
  readonly prune_growth: number;
  readonly list_growth: number;
}

/** The cost at ten times the size, divided by ten times the cost. */
const growthOf = (small: number, large: number): number => hundredths(large / small / 10);

export function replaySummary({ lengths, stores }: Measurements): ReplaySummary {
  const [short, long] = lengths;
  const [small, large] = stores;
  return {
    steps_per_cpu_s: Math.round((long.steps / long.us) * 1e6),
    growth: growthOf(short.us, long.us),
    store_growth: growthOf(small.replay, large.replay),
    verify_runs_per_s: Math.round((large.runs / large.verify) * 1e6),
    prune_growth: growthOf(small.prune, large.prune),
    list_growth: Math.max(...listGrowths(stores).map(([, growth]) => growth)),
  };
}

const listGrowths = ([small, large]: Measurements['stores']): readonly (readonly [string, number])[] =>
  Object.entries(small.lists).map(([name, us]) => [name, growthOf(us, large.lists[name] ?? Number.NaN)]);

/** The table for people. */
export function replayTable(found: Measurements): string {
  const { lengths, stores } = found;
  const summary = replaySummary(found);
  return [
    `Node ${process.version}, ${availableParallelism()} cores; CPU time of the process; growth 1 is linear, 0.1 independent`,
    '',
    ...lengths.map(({ steps, us }) => row(`replay of ${steps.toLocaleString('en')} steps`, us)),
    `${summary.steps_per_cpu_s.toLocaleString('en')} steps per CPU second; growth ${summary.growth}`,
    '',
    ...stores.map(({ runs, replay }) => row(`replay of 10 steps among ${runs.toLocaleString('en')} runs`, replay)),
    `growth ${summary.store_growth}`,
    '',
    ...stores.map(({ runs, verify }) => row(`verify ${runs.toLocaleString('en')} runs of one step`, verify)),
    `${summary.verify_runs_per_s.toLocaleString('en')} runs per CPU second`,
    '',
    ...stores.map(({ runs, prune }) => row(`prune ${runs.toLocaleString('en')} runs of one step`, prune)),
    `growth ${summary.prune_growth}`,
    '',
    ...stores.flatMap(({ runs, lists }) =>
      Object.entries(lists).map(([name, us]) => row(`list ${name} among ${runs.toLocaleString('en')} runs`, us)),
    ),
    `growth ${listGrowths(stores).map(([name, growth]) => `${name} ${growth}`).join(', ')}`,
  ].join('\n');
}

const row = (label: string, us: number): string => `${label.padEnd(44)}${(us / 1_000).toFixed(2).padStart(12)} ms`;

const hundredths = (value: number): number => Math.round(value * 100) / 100;
