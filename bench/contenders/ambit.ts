import { step } from '../../src/kernel/step.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { ENV } from '../ambit/env.ts';
import { literalPlan } from '../ambit/plan.ts';
import { REAL_ROOMS, type Rooms, SILENT_ROOMS } from '../ambit/rooms.ts';
import { type Asking, driveRun, startRun } from '../ambit/run.ts';
import { type Contender, EVENTS_PER_STEP, RUN_STEPS } from '../harness/contender.ts';

const RUNS = 20;

/** Plans are counted through, so that no two steps of a whole measurement have the same arguments. */
let plansMade = 0;

function startedRuns(): readonly Asking[] {
  return Array.from({ length: RUNS }, () => {
    plansMade += 1;
    return startRun(literalPlan(plansMade, RUN_STEPS));
  });
}

/**
 * Whole action cycles through the kernel: bindings, the hash of the arguments, loop guard, budgets, guards of the graph,
 * the five rungs, the verdict, the checkpoint's payload. The rooms around it answer with constants.
 */
export const kernelCycle: Contender = cycle(SILENT_ROOMS);

/** The same with the gateway's checks and the whole critic. */
export const liveCycle: Contender = cycle(REAL_ROOMS);

function cycle(rooms: Rooms): Contender {
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

/** The events of live cycles, folded again as replay does: nothing is asked and nothing is answered. */
export const fold: Contender = {
  stepsPerBatch: RUNS * RUN_STEPS,
  prepare: () => {
    const runs = startedRuns().map((start) => {
      const events: RunEvent[] = [];
      driveRun(start, REAL_ROOMS, (event) => events.push(event));
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
