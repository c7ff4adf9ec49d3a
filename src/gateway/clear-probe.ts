import type { ProbeRefusal } from '../model/events/step-events.ts';
import { Fault } from '../model/fault.ts';
import type { PolicyDecision } from '../model/policy-decision.ts';
import { reasonOf } from '../model/printable.ts';
import { clearCalls, type Requests } from './clear-dispatched.ts';
import type { Layer } from './layers/layer.ts';

/** Whether a probe may be asked, from when on, and what the policies said of it. */
export type ProbeClearance = { readonly policy?: PolicyDecision } & (
  | { readonly ok: true; readonly notBefore: number }
  | { readonly ok: false; readonly refused: ProbeRefusal; readonly message: string }
);

/**
 * Clears the call of a probe as if a plan had asked for it. Nobody is asked about a probe, so one that would have to
 * wait at a gate is not called.
 */
export function clearProbe(requests: () => Requests, layers: readonly Layer[]): ProbeClearance {
  try {
    return cleared(requests(), layers);
  } catch (error) {
    const code = Fault.is(error) ? error.code : 'internal';
    return { ok: false, refused: { layer: 'schema', code }, message: reasonOf(error) };
  }
}

function cleared(requests: Requests, layers: readonly Layer[]): ProbeClearance {
  const ruling = clearCalls(requests, layers);
  const said = ruling.policy === undefined ? {} : { policy: ruling.policy };
  if (ruling.type === 'step_refused') {
    const { layer, code, message } = ruling;
    return { ok: false, refused: { layer, code }, message, ...said };
  }
  const { gates, mode, not_before: notBefore = 0 } = ruling;
  if (gates.length === 0 && mode === 'read_only') return { ok: true, notBefore, ...said };
  const message = `${requests.outer.step.tool} has to pass ${gates.join(', ') || mode}, and nobody is asked about a probe`;
  return { ok: false, refused: { layer: 'risk', code: 'approval_missing' }, message, ...said };
}
