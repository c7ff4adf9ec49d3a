import type { MadeEffect } from '../../../kernel/rollback/rollback.ts';
import type { RunState } from '../../../kernel/state.ts';
import type { ToolCall } from '../../../model/tool.ts';

/** The one call that stands in no plan: it takes back the effect of one that did, with the tool declared for that. */
export function takenBackBy({ ending }: RunState, { step_id, tool }: ToolCall): MadeEffect | null {
  const at = ending.rollback?.at ?? null;
  return at !== null && at.compensate === tool && step_id === `${at.stepId}:compensate` ? at : null;
}
