import { assign, createMachine, initialTransition, transition } from 'xstate';
import { type Contender, RUN_STEPS } from '../harness/contender.ts';

const RUNS = 30;

const machine = createMachine({
  types: {} as { context: { n: number }; events: { type: 'next' } },
  context: { n: 0 },
  initial: 'working',
  states: {
    working: {
      on: { next: { actions: assign({ n: ({ context }) => context.n + 1 }), target: 'working', reenter: true } },
    },
  },
});

/** The pure transition of a state machine: the same shape as the kernel, one event per step, without bounds. */
export const xstate: Contender = {
  stepsPerBatch: RUNS * RUN_STEPS,
  prepare: () => () => {
    for (let run = 0; run < RUNS; run += 1) {
      let [state] = initialTransition(machine);
      for (let step = 0; step < RUN_STEPS; step += 1) [state] = transition(machine, state, { type: 'next' });
      if (state.context.n !== RUN_STEPS) throw new Error(`XState counted ${state.context.n}`);
    }
  },
};
