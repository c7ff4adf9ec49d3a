import { compareModes } from '../model/approval-mode.ts';
import { type Clearance, type Cleared, type ClearRequest, clearStep } from './clear-step.ts';
import type { Layer } from './layers/layer.ts';

/** A call, and whatever it passes on to other tools, in this order; nothing for most. */
export interface Requests {
  readonly outer: ClearRequest;
  readonly inner: readonly ClearRequest[];
}

/**
 * Clears a call and whatever it passes on to another tool, the outermost first. Each has to pass every layer as if it
 * had been called directly; the stricter mode counts, and the gates of all of them stand.
 */
export function clearCalls({ outer, inner }: Requests, layers: readonly Layer[]): Clearance {
  let cleared = clearStep(outer, layers);
  for (const request of inner) {
    if (cleared.type !== 'step_cleared') return cleared;
    const behind = clearStep(request, layers);
    if (behind.type !== 'step_cleared') return behind;
    cleared = both(cleared, behind);
  }
  return cleared;
}

function both(outer: Cleared, inner: Cleared): Cleared {
  const notBefore = Math.max(outer.not_before ?? 0, inner.not_before ?? 0);
  return {
    ...outer,
    mode: compareModes(inner.mode, outer.mode) > 0 ? inner.mode : outer.mode,
    gates: [...new Set([...outer.gates, ...inner.gates])],
    ...(notBefore > 0 ? { not_before: notBefore } : {}),
    ...(inner.preview === undefined ? {} : { preview: inner.preview }),
  };
}
