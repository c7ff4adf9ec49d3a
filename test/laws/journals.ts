/** Reachable states: every state of a simulated run. */
import fc from 'fast-check';
import type { KernelEnv } from '../../src/kernel/env.ts';
import { step } from '../../src/kernel/machine/step.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import { initialState } from '../../src/kernel/transition/initial-state.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import type { SimulatedJournal } from '../../src/testing/simulator/simulate.ts';
import { SIMULATOR } from '../simulation/parts.ts';

export interface Reached {
  readonly env: KernelEnv;
  readonly state: RunState;
  /** The event that followed; null at the end. */
  readonly next: RunEvent | null;
}

const eventsOf = ({ frames }: SimulatedJournal): readonly RunEvent[] =>
  frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);

/** A deeply frozen state in the middle of some run. */
export const reached: fc.Arbitrary<Reached> = fc
  .record({ seed: fc.integer({ min: 1, max: 1_000_000 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ seed, share }) => reach(SIMULATOR.journal(seed), share));

function reach(journal: SimulatedJournal, share: number): Reached {
  const { env } = journal.pinned;
  const events = eventsOf(journal);
  const count = Math.round(share * events.length);
  let state = initialState(env);
  for (const event of events.slice(0, count)) [state] = step(env, state, event);
  return { env, state: deepFreeze(state), next: deepFreeze(events[count] ?? null) };
}

/** The end of some run. */
export const ended: fc.Arbitrary<Reached> = fc
  .integer({ min: 1, max: 1_000_000 })
  .map((seed) => reach(SIMULATOR.journal(seed), 1));

export const journal: fc.Arbitrary<SimulatedJournal> = fc
  .integer({ min: 1, max: 1_000_000 })
  .map((seed) => SIMULATOR.journal(seed));
