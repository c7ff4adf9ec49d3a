import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { NO_COST } from '../model/tool/tool.ts';
import type { PlanAnswer, Planner, PlanRequest } from '../ports/model/planner.ts';

/** One turn of a script: the planner's proposal, or its error. */
export type PlannerTurn = unknown | Error;

export interface ScriptedPlanner extends Planner {
  /** The requests it received, in order. */
  readonly requests: readonly PlanRequest[];
  /** Throws if a scripted turn was not used. */
  assertDrained(): void;
}

/** A test double of a model that plans. A request without a scripted turn fails. */
export const scriptedPlanner: (script: readonly PlannerTurn[], answer?: Partial<PlanAnswer>) => ScriptedPlanner =
  guardInput('scriptedPlanner', (script: readonly PlannerTurn[], answer: Partial<PlanAnswer> = {}): ScriptedPlanner => {
    const left = [...script];
    const requests: PlanRequest[] = [];
    return {
      requests,
      propose: async (request) => {
        requests.push(request);
        if (left.length === 0) {
          throw new Fault(
            'script_unexpected_call',
            `planner call ${requests.length}, and ${script.length} are scripted`,
          );
        }
        const turn = left.shift();
        if (turn instanceof Error) throw turn;
        return { author: 'model', spent: NO_COST, contextTokens: 0, ...answer, proposal: turn };
      },
      assertDrained: () => {
        if (left.length > 0) throw new Fault('script_unused', `${left.length} scripted turns were never used`);
      },
    };
  });
