import { Fault } from '../model/fault.ts';
import { NO_COST } from '../model/tool.ts';
import type { PlanAnswer, Planner, PlanRequest } from '../ports/planner.ts';

/** One turn of a script: what the planner answers, or what it fails with. */
export type PlannerTurn = unknown | Error;

export interface ScriptedPlanner extends Planner {
  /** What it was asked, in order. */
  readonly requests: readonly PlanRequest[];
  /** Fails if a scripted turn was never used. */
  assertDrained(): void;
}

/** Stands in for a model that plans. A call nobody scripted fails, and so does a turn nobody used. */
export function scriptedPlanner(script: readonly PlannerTurn[], answer: Partial<PlanAnswer> = {}): ScriptedPlanner {
  const left = [...script];
  const requests: PlanRequest[] = [];
  return {
    requests,
    propose: async (request) => {
      requests.push(request);
      if (left.length === 0) {
        throw new Fault('script_unexpected_call', `planner call ${requests.length}, and ${script.length} are scripted`);
      }
      const turn = left.shift();
      if (turn instanceof Error) throw turn;
      return { author: 'model', spent: NO_COST, contextTokens: 0, ...answer, proposal: turn };
    },
    assertDrained: () => {
      if (left.length > 0) throw new Fault('script_unused', `${left.length} scripted turns were never used`);
    },
  };
}
