import type { ProbeRefusal } from '../../model/events/step-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { PolicyDecision } from '../../model/policy/policy-decision.ts';
import type { Layer } from '../layers/layer.ts';
import { authorizeDispatch, type DispatchRequests } from './authorize-dispatch.ts';

/** The decision about a probe call: whether and from when on it may be sent, and the policies' decision. */
export type ProbeClearance = { readonly policy?: PolicyDecision } & (
  | { readonly ok: true; readonly notBefore: number }
  | { readonly ok: false; readonly refused: ProbeRefusal; readonly message: string }
);

/** Authorizes a probe call as if a plan had proposed it. Probes open no gates, so a probe that needs one is refused. */
export function authorizeProbe(requests: () => DispatchRequests, layers: readonly Layer[]): ProbeClearance {
  try {
    return authorize(requests(), layers);
  } catch (error) {
    const code = Fault.is(error) ? error.code : 'internal';
    return { ok: false, refused: { layer: 'schema', code }, message: reasonOf(error) };
  }
}

function authorize(requests: DispatchRequests, layers: readonly Layer[]): ProbeClearance {
  const ruling = authorizeDispatch(requests, layers);
  const policyPart = ruling.policy === undefined ? {} : { policy: ruling.policy };
  if (ruling.type === 'step_refused') {
    const { layer, code, message } = ruling;
    return { ok: false, refused: { layer, code }, message, ...policyPart };
  }
  const { gates, mode, not_before: notBefore = 0 } = ruling;
  if (gates.length === 0 && mode === 'read_only') return { ok: true, notBefore, ...policyPart };
  const message = `${requests.outer.step.tool} has to pass ${gates.join(', ') || mode}, and nobody is asked about a probe`;
  return { ok: false, refused: { layer: 'risk', code: 'approval_missing' }, message, ...policyPart };
}
