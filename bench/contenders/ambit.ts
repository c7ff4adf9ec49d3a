import { step } from '../../src/kernel/machine/step.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { ENV } from '../ambit/env.ts';
import { literalPlan } from '../ambit/plan.ts';
import { REAL_EFFECTS, type LocalEffects, CACHED_EFFECTS } from '../ambit/local-effects.ts';
import { type Asking, driveRun, startRun } from '../ambit/run.ts';
import { type Contender, EVENTS_PER_STEP, RUN_STEPS } from '../harness/contender.ts';

const RUNS = 20;

/** Counts plans, so that no two steps of a measurement have the same arguments. */
let plansMade = 0;

function startedRuns(): readonly Asking[] {
  return Array.from({ length: RUNS }, () => {
    plansMade += 1;
    return startRun(literalPlan(plansMade, RUN_STEPS));
  });
}

/**
 * Complete action cycles through the kernel: bindings, argument hash, loop guard, budgets, graph guards, grounding,
 * verdict and checkpoint. The gateway and the Critic answer with constants.
 */
export const kernelCycle: Contender = cycle(CACHED_EFFECTS);

/** Complete action cycles with the gateway's layers and the complete Critic. */
export const liveCycle: Contender = cycle(REAL_EFFECTS);

function cycle(rooms: LocalEffects): Contender {
  return {
    stepsPerBatch: RUNS * RUN_STEPS,
    prepare: () => {
      const runs = startedRuns();
      return () => {
        for (const run of runs) {
          let events = 0;
          const { work } = driveRun(run, rooms, () => {
            events += 1;
          });
          if (work.version !== RUN_STEPS || events !== RUN_STEPS * EVENTS_PER_STEP)
            throw new Error(`${events} events, ${work.version} commits`);
        }
      };
    },
  };
}

/** Folds the events of live cycles again, as replay does, without any answers. */
export const fold: Contender = {
  stepsPerBatch: RUNS * RUN_STEPS,
  prepare: () => {
    const runs = startedRuns().map((start) => {
      const events: RunEvent[] = [];
      driveRun(start, REAL_EFFECTS, (event) => events.push(event));
      return { start, events };
    });
    return () => {
      for (const { start, events } of runs) {
        let { state } = start;
        for (const event of events) [state] = step(ENV, state, event);
        if (state.work.version !== RUN_STEPS) throw new Error(`${state.work.version} commits`);
      }
    };
  },
};
