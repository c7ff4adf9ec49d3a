import { compareModes } from '../../model/gate/approval-mode.ts';
import type { Layer } from '../layers/layer.ts';
import { type AuthorizationRequest, type AuthorizedCall, authorizeStep, type Clearance } from './authorize-step.ts';

/** A call and, if its tool is a dispatcher, the calls that it passes on to other tools, in order. */
export interface DispatchRequests {
  readonly outer: AuthorizationRequest;
  readonly inner: readonly AuthorizationRequest[];
}

/**
 * Authorizes a call and every call that it passes on, the outermost first. Each has to pass every layer as if it had
 * been called directly; the strictest mode applies, and the gates of all of them are required.
 */
export function authorizeDispatch({ outer, inner }: DispatchRequests, layers: readonly Layer[]): Clearance {
  let cleared = authorizeStep(outer, layers);
  for (const request of inner) {
    if (cleared.type !== 'step_cleared') return cleared;
    const behind = authorizeStep(request, layers);
    if (behind.type !== 'step_cleared') return behind;
    cleared = mergeCleared(cleared, behind);
  }
  return cleared;
}

function mergeCleared(outer: AuthorizedCall, inner: AuthorizedCall): AuthorizedCall {
  const notBefore = Math.max(outer.not_before ?? 0, inner.not_before ?? 0);
  return {
    ...outer,
    mode: compareModes(inner.mode, outer.mode) > 0 ? inner.mode : outer.mode,
    gates: [...new Set([...outer.gates, ...inner.gates])],
    ...(notBefore > 0 ? { not_before: notBefore } : {}),
    ...(inner.preview === undefined ? {} : { preview: inner.preview }),
  };
}
