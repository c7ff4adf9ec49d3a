import type { Prng } from './prng.ts';

/** How unkind the world of one run is. Each is the probability that something goes wrong where it could. */
export interface Temper {
  /** A tool fails, stalls, answers twice or with rubbish. */
  readonly toolFault: number;
  /** A planner proposes something that is no legal plan, fails, or takes too long. */
  readonly plannerLie: number;
  /** A person does not answer, answers late, twice, or about something else. */
  readonly peopleFault: number;
  /** The process dies at a point where it can. */
  readonly death: number;
  /** Somebody interferes: operators, models beyond their rights, junk. */
  readonly meddling: number;
  /** The store is down, or does not say whether it has stored what it was given. */
  readonly outage: number;
  /** The clock jumps ahead or goes back. */
  readonly clock: number;
}

const CALM: Temper = Object.freeze({
  toolFault: 0,
  plannerLie: 0,
  peopleFault: 0,
  death: 0,
  meddling: 0,
  outage: 0,
  clock: 0,
});

/** A fifth of the worlds are kind, so that long healthy runs are seen too; in the others everything is possible. */
export function randomTemper(prng: Prng): Temper {
  if (prng.chance(0.2)) return CALM;
  return {
    toolFault: prng.pick([0, 0.03, 0.1, 0.4]),
    plannerLie: prng.pick([0, 0.05, 0.2, 0.6]),
    peopleFault: prng.pick([0, 0.1, 0.4]),
    death: prng.pick([0, 0.01, 0.04, 0.15]),
    meddling: prng.pick([0, 0.05, 0.2]),
    outage: prng.pick([0, 0.01, 0.05, 0.2]),
    clock: prng.pick([0, 0.01, 0.05]),
  };
}
