import { type ApprovalMode, runsInline } from '../../src/model/gate/approval-mode.ts';
import type { SuiteTool } from './suites.ts';

/** One configuration of the agent's boundary. */
export interface Policy {
  /** The declared approval mode of a tool. */
  readonly mode: (tool: SuiteTool) => ApprovalMode;
  /** Whether provenance is tracked: results and values derived from them are untrusted. */
  readonly provenance: boolean;
  /** How the approver decides a call that the user did not ask for. */
  readonly approver: 'perfect' | 'careless';
  /** Who reads a value out of a result: the quarantined reader, or the planner, which then plans again. */
  readonly reads: 'reader' | 'planner';
}

/** A tool labelled as reading whose effect says otherwise is bound by its effect. */
const labelled = ({ approval_mode, effect }: SuiteTool): ApprovalMode =>
  approval_mode === 'read_only' && effect !== 'read' ? 'local_write' : approval_mode;

const inline = (tool: SuiteTool): ApprovalMode => (runsInline(labelled(tool)) ? labelled(tool) : 'local_write');

/** The policies in the last line of `--json`, except `mislabelled_tool`, which is one policy per gated tool. */
export const POLICIES: Readonly<
  Record<'ambit' | 'without_reader' | 'plain_gate' | 'no_gate' | 'careless_approver', Policy>
> = {
  ambit: { mode: labelled, provenance: true, approver: 'perfect', reads: 'reader' },
  without_reader: { mode: labelled, provenance: true, approver: 'perfect', reads: 'planner' },
  plain_gate: { mode: labelled, provenance: false, approver: 'perfect', reads: 'reader' },
  no_gate: { mode: inline, provenance: false, approver: 'perfect', reads: 'reader' },
  careless_approver: { mode: labelled, provenance: true, approver: 'careless', reads: 'reader' },
};

export const isGated = (tool: SuiteTool): boolean => !runsInline(labelled(tool));

export const mislabelling = (name: string): Policy => ({
  ...POLICIES.ambit,
  mode: (tool) => (tool.name === name ? 'read_only' : labelled(tool)),
});
