import type { EventBody } from '../../model/events/event.ts';
import type { ProbeRefusal } from '../../model/events/step-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { type ApprovalMode, compareModes } from '../../model/gate/approval-mode.ts';
import { reasonOf } from '../../model/json/printable.ts';
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
  { step, args, argsHash, inputs, now }: AuthorizationRequest,
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
  if (inputs !== undefined) cleared.inputs = inputs;
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
  const message = `${requests.outer.step.tool} has to pass ${gates.join(', ') || mode}, and a probe has no gate`;
  return { ok: false, refused: { layer: 'risk', code: 'approval_missing' }, message, ...policyPart };
}
