import type { GateProgress, NamedGate } from './gate-terms.ts';

/** The approvals of one gate so far, counted from recorded decisions. */
export interface GateTally {
  readonly name: string;
  readonly quorum: number;
  readonly approvers: readonly string[];
}

/** The fields of an approval that are counted. */
interface CountedApproval {
  readonly approver: string;
  readonly dismissed?: readonly string[];
  readonly gates?: readonly string[];
}

export const startTally = (gates: readonly NamedGate[]): readonly GateTally[] =>
  gates.map(({ name, deciders: { quorum } }) => ({ name, quorum, approvers: [] }));

/** Counts an approval at the gates that it names, or at the only gate. */
export const countApproval = (
  tally: readonly GateTally[],
  { approver, dismissed = [], gates }: CountedApproval,
): readonly GateTally[] =>
  tally.map((gate) => {
    const approvers = gate.approvers.filter((name) => !dismissed.includes(name));
    const isCovered = (gates === undefined || gates.includes(gate.name)) && approvers.length < gate.quorum;
    return { ...gate, approvers: isCovered ? [...approvers, approver] : approvers };
  });

export const isTallied = ({ quorum, approvers }: GateTally): boolean => approvers.length >= quorum;

/** Each gate with the person whose approval completed its quorum. */
export const tallyProgress = (tally: readonly GateTally[]): readonly GateProgress[] =>
  tally.map(({ name, quorum, approvers }) => ({ name, decided_by: approvers[quorum - 1] ?? null }));
