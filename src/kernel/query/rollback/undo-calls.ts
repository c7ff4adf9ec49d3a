import type { KernelEnv } from '../../env.ts';
import { isRollingBack } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';

/**
 * Whether a call of this tool compensates the effect that the run is taking back now, or probes that compensation. Such a
 * call is permitted with the tool that had the effect. Recorded runs keep the earlier rule (ADR 0095).
 */
export function isUndoCall(env: KernelEnv, state: RunState, tool: string): boolean {
  const undo = state.ending.rollback?.at?.compensate ?? null;
  if (undo === null || !isRollingBack(state) || !hasRule(state, 'companions_belong')) return false;
  const { verify, reconcile } = env.tools.get(undo)?.probes ?? {};
  return tool === undo || tool === verify || tool === reconcile;
}
