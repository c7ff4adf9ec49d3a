import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import type { GateActions } from '../runtime/runtime.ts';
import type { RunOutcome } from '../session/outcome.ts';

/** A person's decision at one gate. */
export interface ApproverTurn {
  readonly decision: 'approve' | 'reject';
  readonly approver: string;
  readonly roles?: readonly string[];
  readonly reason: string;
}

export interface ScriptedApprover {
  /** Decides every gate that the run opens, one scripted turn each, until the run has no open gate. */
  attend(
    runtime: { readonly gates: Pick<GateActions, 'approve' | 'reject'> },
    outcome: RunOutcome,
  ): Promise<RunOutcome>;
  /** Throws if a scripted turn was not used. */
  assertDrained(): void;
}

/** A test double of an approver. It fails at a gate without a scripted turn. */
export const scriptedApprover: (script: readonly ApproverTurn[]) => ScriptedApprover = guardInput(
  'scriptedApprover',
  (script: readonly ApproverTurn[]): ScriptedApprover => {
    const left = [...script];
    return {
      attend: async (runtime, outcome) => {
        let current = outcome;
        for (let gate = current.pending[0]; gate !== undefined; gate = current.pending[0]) {
          const turn = left.shift();
          if (turn === undefined) throw new Fault('script_unexpected_call', `no decision is scripted for ${gate.name}`);
          const { gateId, packetHash } = gate;
          const { decision, approver, roles = [], reason } = turn;
          const credential = { kind: 'local_operator', name: approver, roles } as const;
          current = await runtime.gates[decision](gateId, { packetHash, credential, reason });
        }
        return current;
      },
      assertDrained: () => {
        if (left.length > 0) throw new Fault('script_unused', `${left.length} scripted decisions were never used`);
      },
    };
  },
);
