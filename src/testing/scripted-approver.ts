import { Fault } from '../model/fault.ts';
import type { RunOutcome } from '../session/outcome.ts';
import type { Runtime } from '../session/runtime.ts';

/** What the person says at one gate. */
export interface ApproverTurn {
  readonly decision: 'approve' | 'reject';
  readonly approver: string;
  readonly roles?: readonly string[];
  readonly reason: string;
}

export interface ScriptedApprover {
  /** Answers every gate the run opens, one turn of the script each, until it waits for something else or has ended. */
  attend(runtime: Pick<Runtime, 'approve' | 'reject'>, outcome: RunOutcome): Promise<RunOutcome>;
  /** Fails if a scripted turn was never used. */
  assertDrained(): void;
}

/** Stands in for the person at the gate. A gate nobody scripted fails, and so does a turn nobody used. */
export function scriptedApprover(script: readonly ApproverTurn[]): ScriptedApprover {
  const left = [...script];
  return {
    attend: async (runtime, outcome) => {
      let current = outcome;
      for (let gate = current.pending[0]; gate !== undefined; gate = current.pending[0]) {
        const turn = left.shift();
        if (turn === undefined) throw new Fault('script_unexpected_call', `nobody is scripted to decide ${gate.name}`);
        const { gateId, packetHash } = gate;
        const { decision, approver, roles = [], reason } = turn;
        const credential = { kind: 'local_operator', name: approver, roles } as const;
        current = await runtime[decision](gateId, { packetHash, credential, reason });
      }
      return current;
    },
    assertDrained: () => {
      if (left.length > 0) throw new Fault('script_unused', `${left.length} scripted decisions were never used`);
    },
  };
}
