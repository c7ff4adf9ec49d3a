import { type ApprovalMode, runsInline } from '../../src/model/approval-mode.ts';
import type { SuiteTool } from './suites.ts';

/** One way to bound the same agent. */
export interface Policy {
  /** What the tool is declared as. */
  readonly mode: (tool: SuiteTool) => ApprovalMode;
  /** Whether labels flow: results are somebody else's words, and what is made of them shows it. */
  readonly provenance: boolean;
  /** What the person at the gate says to a call that the user did not ask for. */
  readonly approver: 'perfect' | 'careless';
}

/** A tool that is said to read and does more than that is bound as what it is: its label says both. */
const labelled = ({ approval_mode, effect }: SuiteTool): ApprovalMode =>
  approval_mode === 'read_only' && effect !== 'read' ? 'local_write' : approval_mode;

const inline = (tool: SuiteTool): ApprovalMode => (runsInline(labelled(tool)) ? labelled(tool) : 'local_write');

/** The five that the last line of `--json` has, but for the last: that is one policy for each tool with a gate. */
export const POLICIES: Readonly<Record<'ambit' | 'plain_gate' | 'no_gate' | 'careless_approver', Policy>> = {
  ambit: { mode: labelled, provenance: true, approver: 'perfect' },
  plain_gate: { mode: labelled, provenance: false, approver: 'perfect' },
  no_gate: { mode: inline, provenance: false, approver: 'perfect' },
  careless_approver: { mode: labelled, provenance: true, approver: 'careless' },
};

export const isGated = (tool: SuiteTool): boolean => !runsInline(labelled(tool));

export const mislabelling = (name: string): Policy => ({
  mode: (tool) => (tool.name === name ? 'read_only' : labelled(tool)),
  provenance: true,
  approver: 'perfect',
});
