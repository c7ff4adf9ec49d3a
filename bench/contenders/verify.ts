import { verifyPlan } from '../../src/kernel/verify/verify-plan.ts';
import { verifyContext } from '../../src/kernel/query/plan/verify-context.ts';
import { ENV } from '../ambit/env.ts';
import { boundPlan } from '../ambit/plan.ts';
import { startRun } from '../ambit/run.ts';
import type { Contender } from '../harness/contender.ts';

const STEPS_PER_BATCH = 10_000;

/** Verifies plans of one size in which every step is bound to the previous step and to the first. */
export function verification(size: number): Contender {
  const context = verifyContext(ENV, startRun(boundPlan(0, 1)).state);
  const replansLeft = 2;
  let plansMade = 0;
  return {
    stepsPerBatch: STEPS_PER_BATCH,
    prepare: () => {
      const plans = Array.from({ length: STEPS_PER_BATCH / size }, () => {
        plansMade += 1;
        return boundPlan(plansMade, size);
      });
      return () => {
        for (const plan of plans) {
          const { verdict, problems } = verifyPlan(plan, context, replansLeft);
          if (verdict !== 'ok') throw new Error(`a plan was refused: ${problems[0]?.message}`);
        }
      };
    },
  };
}
