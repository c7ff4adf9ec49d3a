import type { ToolCategory, ToolSpec } from '../tool/tool.ts';
import { type ApprovalMode, runsInline } from './approval-mode.ts';
import { GATE_MODE_APPROVAL } from './gate.ts';

/** The gate for calls that the category's rules send to a person. It applies only if the call has no other gate. */
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
 * Returns the gates of a tool that declares none. A mode that does not run inline uses the mode gate. A tool with
 * category rules uses the category gate instead, because a person has to see what the rules find, and one call should
 * be approved only once.
 */
export function defaultGates(
  mode: ApprovalMode,
  { category, rules }: { readonly category: ToolCategory; readonly rules: ToolSpec['rules'] | undefined },
): readonly string[] {
  if (runsInline(mode)) return NO_GATES;
  return rules === undefined ? MODE_GATES : [CATEGORY_GATES[category]];
}
