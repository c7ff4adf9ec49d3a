import type { EventBody } from '../../model/events/event.ts';
import { type ApprovalMode, compareModes } from '../../model/gate/approval-mode.ts';
import type { PolicyDecision } from '../../model/policy/policy-decision.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { type Layer, PASS, type Pass, type ProposedCall, type Refusal, refusal } from '../layers/layer.ts';

/** A call as the kernel requests it. `spec` is undefined if the registry has no such tool. */
export interface AuthorizationRequest extends Omit<ProposedCall, 'spec' | 'mode'> {
  readonly spec: ToolSpec | undefined;
}

/** Passes a call through every layer, or refuses it with the layer that objected. Sends nothing. */
export function authorizeStep(request: AuthorizationRequest, layers: readonly Layer[]): Clearance {
  const { step, spec } = request;
  if (spec === undefined) {
    return toRefusedEvent(step.id, refusal('registry', 'hallucinated_capability', `there is no tool ${step.tool}`));
  }
  if (!spec.active) {
    return toRefusedEvent(step.id, refusal('registry', 'tool_inactive', `tool ${spec.name} is switched off`));
  }
  const mode = stricter(spec.approval_mode, step.approval_mode);
  const call: ProposedCall = { ...request, spec, mode };
  let passed = PASS;
  for (const layer of layers) {
    const ruling = layer(call);
    if (!ruling.ok) return toRefusedEvent(step.id, ruling, passed.policy);
    // Fast path: most layers add nothing to a call that passes.
    if (ruling !== PASS) passed = passed === PASS ? ruling : mergePasses(passed, ruling);
  }
  return toClearedEvent(request, mode, passed);
}

/** Merges two passes: the gates of both, the later instant, and of each other finding the first one. */
function mergePasses(first: Pass, second: Pass): Pass {
  return {
    ...second,
    ...first,
    gates: mergeGates(first.gates, second.gates),
    notBefore: Math.max(first.notBefore, second.notBefore),
  };
}

function mergeGates(first: readonly string[], second: readonly string[]): readonly string[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...new Set([...first, ...second])];
}

/** The gateway's decision about a call, with the policy decision in full. */
export type Clearance = AuthorizedCall | Refused;
export type AuthorizedCall = Omit<Extract<EventBody, { type: 'step_cleared' }>, 'policy'> & {
  readonly policy?: PolicyDecision;
};
type Refused = Extract<EventBody, { type: 'step_refused' }>;

/** Builds the `step_cleared` event from the request and the findings of the layers. */
function toClearedEvent(
  { step, args, argsHash, now }: AuthorizationRequest,
  mode: ApprovalMode,
  passed: Pass,
): AuthorizedCall {
  const cleared: { -readonly [Name in keyof AuthorizedCall]: AuthorizedCall[Name] } = {
    type: 'step_cleared',
    step_id: step.id,
    args,
    args_hash: argsHash,
    mode,
    gates: passed.gates,
  };
  if (passed.notBefore > now) cleared.not_before = passed.notBefore;
  if (passed.preview !== undefined) cleared.preview = passed.preview;
  if (passed.granted !== undefined) cleared.granted = passed.granted;
  if (passed.policy !== undefined) cleared.policy = passed.policy;
  return cleared;
}

const stricter = (registry: ApprovalMode, declared: ApprovalMode | undefined): ApprovalMode =>
  declared !== undefined && compareModes(declared, registry) > 0 ? declared : registry;

/**
 * Builds the `step_refused` event. A policy decision made before the refusal is included even if another layer refuses.
 */
function toRefusedEvent(stepId: string, refusal: Refusal, earlierPolicy?: PolicyDecision): Refused {
  const { layer, code, message, missing } = refusal;
  const policy = earlierPolicy ?? refusal.policy;
  const body = { type: 'step_refused', step_id: stepId, layer, code, message, missing } as const;
  return policy === undefined ? body : { ...body, policy };
}
