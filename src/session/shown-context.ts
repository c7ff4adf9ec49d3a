import { contextPointer, REFLECTION_POINTER } from '../kernel/active-context.ts';
import type { RunState } from '../kernel/state.ts';
import type { ContextItem } from '../model/context.ts';
import type { PlanReason } from '../model/effect.ts';

/** Of what a run may see, what it is still shown: what a compression has left out stays in the trace alone. */
export function shownItems({ planning }: RunState, visible: readonly ContextItem[]): readonly ContextItem[] {
  const { compressed } = planning;
  if (compressed === undefined || compressed.demoted.length === 0) return visible;
  const gone = new Set(compressed.demoted);
  return visible.filter(({ key }) => !gone.has(contextPointer(key)));
}

export function shownReason({ planning }: RunState, reason: PlanReason | null): PlanReason | null {
  if (reason === null || planning.compressed?.demoted.includes(REFLECTION_POINTER) !== true) return reason;
  const { reflection: _, ...detail } = reason.detail;
  return { ...reason, detail };
}
