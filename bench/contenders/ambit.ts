import { step } from '../../src/kernel/machine/step.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { ENV } from '../ambit/env.ts';
import type { Plan } from '../../src/model/plan/plan.ts';
import { boundPlan, literalPlan } from '../ambit/plan.ts';
import { REAL_EFFECTS, type LocalEffects, CACHED_EFFECTS } from '../ambit/local-effects.ts';
import { type Asking, driveRun, startRun } from '../ambit/run.ts';
import { type Contender, EVENTS_PER_STEP, RUN_STEPS } from '../harness/contender.ts';

const RUNS = 20;

/** Counts plans, so that no two steps of a measurement have the same arguments. */
let plansMade = 0;

type MakePlan = typeof literalPlan;

function plans(make: MakePlan): readonly Plan[] {
  return Array.from({ length: RUNS }, () => {
    plansMade += 1;
    return make(plansMade, RUN_STEPS);
  });
}

/**
 * Complete action cycles through the kernel: argument hash, loop guard, budgets, graph guards, grounding, verdict and
 * checkpoint. Arguments are literals. The gateway and the Critic answer with constants.
 */
export const kernelCycle: Contender = cycle(literalPlan, CACHED_EFFECTS);

/** The same cycles with two bindings per step, to the results of the previous step and of the first. */
export const boundCycle: Contender = cycle(boundPlan, CACHED_EFFECTS);

/** Complete action cycles with the gateway's layers and the complete Critic. */
export const liveCycle: Contender = cycle(literalPlan, REAL_EFFECTS);

function cycle(make: MakePlan, effects: LocalEffects): Contender {
  return {
    stepsPerBatch: RUNS * RUN_STEPS,
    prepare: () => {
      const runs = plans(make).map(startRun);
      return () => {
        for (const run of runs) finishRun(run, effects);
      };
    },
  };
}

function finishRun(run: Asking, effects: LocalEffects): void {
  let events = 0;
  const { work } = driveRun(run, effects, () => {
    events += 1;
  });
  if (work.version !== RUN_STEPS || events !== RUN_STEPS * EVENTS_PER_STEP)
    throw new Error(`${events} events, ${work.version} commits`);
}

/** Whole runs: creation, intake and plan verification, then action cycles with bindings, gateway layers and Critic. */
export const fullRun: Contender = {
  stepsPerBatch: RUNS * RUN_STEPS,
  prepare: () => {
    const made = plans(boundPlan);
    return () => {
      for (const plan of made) finishRun(startRun(plan), REAL_EFFECTS);
    };
  },
};

/** Folds the events of live cycles again, as replay does, without any answers. */
export const fold: Contender = {
  stepsPerBatch: RUNS * RUN_STEPS,
  prepare: () => {
    const runs = plans(literalPlan).map(startRun).map((start) => {
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
