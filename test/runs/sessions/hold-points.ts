/** Hold points in front of every journal operation, released one at a time in the order of a seed. */
import type { Journal } from '../../../src/ports/journal/journal.ts';
import type { SimulatedClock } from '../../../src/testing/simulated-clock.ts';
import { type Dice, diceOf } from '../../adversarial/dice.ts';

export interface HoldPoints {
  /** The same journal, whose reads and writes wait for their turn once a race has begun. */
  hold(journal: Journal): Journal;
  /**
   * Runs the work and releases one waiting operation at a time until all of it has settled. Time passes only when none
   * waits.
   */
  race<T>(work: readonly (() => Promise<T>)[]): Promise<readonly PromiseSettledResult<T>[]>;
}

const HELD = ['append', 'load', 'list', 'gates', 'first'] as const;

/** Turns of the event loop after which no work can go on without an operation that waits. */
const QUIET_TURNS = 10;

export function holdPoints(seed: number, clock: SimulatedClock): HoldPoints {
  const dice: Dice = diceOf(seed);
  const waiting: (() => void)[] = [];
  let racing = false;
  const pass = (): Promise<void> => (racing ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve());
  const releaseOne = (): void => waiting.splice(dice.roll(waiting.length), 1)[0]?.();
  return {
    hold: (journal) => {
      const held = HELD.map((name) => {
        const method = journal[name] as (...args: readonly unknown[]) => Promise<unknown>;
        return [
          name,
          async (...args: readonly unknown[]) => {
            await pass();
            return await method.call(journal, ...args);
          },
        ] as const;
      });
      return { ...journal, ...Object.fromEntries(held) };
    },
    race: async (work) => {
      racing = true;
      let settled = false;
      const all = Promise.allSettled(work.map((one) => one())).finally(() => {
        settled = true;
        racing = false;
      });
      while (!settled) {
        for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
        const due = clock.next();
        if (waiting.length > 0) releaseOne();
        else if (!settled && due !== null) clock.advanceTo(due);
      }
      for (const release of waiting.splice(0)) release();
      return await all;
    },
  };
}
