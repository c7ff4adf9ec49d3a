import { type Contender, RUN_STEPS } from '../harness/contender.ts';

const RUNS = 3_000;

/** The lower limit: the cost of a hundred awaited calls in JavaScript, without state or bounds. */
export const bare: Contender = {
  stepsPerBatch: RUNS * RUN_STEPS,
  prepare: () => async () => {
    for (let run = 0; run < RUNS; run += 1) {
      let state = { n: 0 };
      for (let step = 0; step < RUN_STEPS; step += 1) state = await node(state);
      if (state.n !== RUN_STEPS) throw new Error(`the bare loop counted ${state.n}`);
    }
  },
};

async function node(state: { n: number }): Promise<{ n: number }> {
  return { n: state.n + 1 };
}
