import { execFileSync } from 'node:child_process';
import type { Measured } from './measure.ts';
import { median } from './quantile.ts';

/** CPU µs per step by contender: the median of its rounds. */
export type Medians = ReadonlyMap<string, number>;

/**
 * Measures every contender once per round, each in a new process. A temporary slowdown of the machine affects all
 * contenders, and the median hides it.
 */
export function measureInRounds(program: string, names: readonly string[], rounds: number): Medians {
  const results = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      const usPerStep = measureInChild(program, name);
      results.get(name)?.push(usPerStep);
      console.error(`bench: round ${round}/${rounds} ${name} ${usPerStep.toFixed(2)} µs per step`);
    }
  }
  return new Map([...results].map(([name, values]) => [name, median(values)]));
}

function measureInChild(program: string, name: string): number {
  const printed = execFileSync(process.execPath, [program, name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const measured: Measured = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  return measured.usPerStep;
}
