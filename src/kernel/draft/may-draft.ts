import type { KernelEnv } from '../env.ts';
import type { RunState } from '../state.ts';

/**
 * Whether plans of this run may leave arguments open. Writing them is a right of its own: a boundary that leaves it to no
 * model leaves nothing open, even where somebody could write it.
 */
export function mayDraft({ limits }: KernelEnv, { manifest }: RunState): boolean {
  const rights = manifest?.autonomy_boundary.decision_rights ?? [];
  return limits.drafterCost !== null && rights.includes('tool_arguments');
}
