import { type ApprovalMode, runsInline } from './approval-mode.ts';
import { GATE_MODE_APPROVAL } from './gate.ts';
import type { ToolCategory, ToolSpec } from './tool.ts';

/** The gate before a call that its category puts before a person, where no other gate stands there already. */
export const CATEGORY_GATES: Readonly<Record<ToolCategory, string>> = {
  read_only_lookup: 'GATE_SENSITIVE_SOURCE',
  vector_retrieval: 'GATE_SENSITIVE_SOURCE',
  live_api: 'GATE_API_CHANGE',
  sandbox_code: 'GATE_SANDBOX_FILES',
  file_system: 'GATE_FILE_CHANGE',
  database: 'GATE_DATABASE_WRITE',
  email_calendar: 'GATE_SEND',
  payment: 'GATE_PAYMENT',
  infrastructure: 'GATE_OPERATOR',
  review_queue: 'GATE_REVIEW',
};

const NO_GATES: readonly string[] = Object.freeze([]);
const MODE_GATES: readonly string[] = Object.freeze([GATE_MODE_APPROVAL]);

/**
 * The gates of a tool for which nobody named any. A mode that does not run inline asks at the gate of the mode. A tool
 * that was given rules of its category asks at the gate of that category instead: what the rules find in a call has to
 * be seen, and nobody should be asked twice about one call.
 */
export function defaultGates(
  mode: ApprovalMode,
  { category, rules }: { readonly category: ToolCategory; readonly rules: ToolSpec['rules'] | undefined },
): readonly string[] {
  if (runsInline(mode)) return NO_GATES;
  return rules === undefined ? MODE_GATES : [CATEGORY_GATES[category]];
}
