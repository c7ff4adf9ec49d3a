import type { SimulatedRun } from '../../src/testing/simulator/simulate.ts';

/** The number of seeds that ran. */
export interface Summary {
  readonly seeds: number;
  readonly events: number;
  /** Endings by terminal code. */
  readonly codes: Readonly<Record<string, number>>;
  readonly broken: readonly SimulatedRun[];
}

export const EMPTY: Summary = Object.freeze({ seeds: 0, events: 0, codes: {}, broken: [] });

export function tally(summary: Summary, run: SimulatedRun): Summary {
  const code = run.code ?? 'none';
  return {
    seeds: summary.seeds + 1,
    events: summary.events + run.events,
    codes: { ...summary.codes, [code]: (summary.codes[code] ?? 0) + 1 },
    broken: run.violation === null ? summary.broken : [...summary.broken, run],
  };
}

export function addUp(a: Summary, b: Summary): Summary {
  const codes: Record<string, number> = { ...a.codes };
  for (const [code, count] of Object.entries(b.codes)) codes[code] = (codes[code] ?? 0) + count;
  return { seeds: a.seeds + b.seeds, events: a.events + b.events, codes, broken: [...a.broken, ...b.broken] };
}

/** The broken law and the command to repeat it. */
export function describeBroken({ seed, graph, violation }: SimulatedRun): string {
  return `seed ${seed} (${graph}) breaks "${violation?.law}": ${violation?.message}
    npm run simulate -- --seed ${seed} --verbose`;
}
