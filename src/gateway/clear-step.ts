import { type ApprovalMode, compareModes } from '../model/approval-mode.ts';
import type { EventBody } from '../model/event.ts';
import type { PolicyDecision } from '../model/policy-decision.ts';
import type { ToolSpec } from '../model/tool.ts';
import { type Layer, PASS, type Pass, type ProposedCall, type Refusal, refusal } from './layers/layer.ts';

/** A call as the kernel asks for it; whether there is such a tool is the first question. */
export interface ClearRequest extends Omit<ProposedCall, 'spec' | 'mode'> {
  readonly spec: ToolSpec | undefined;
}

/** Lets a call pass or refuses it, with the layer that did. Nothing is sent here. */
export function clearStep(request: ClearRequest, layers: readonly Layer[]): Clearance {
  const { step, spec } = request;
  if (spec === undefined) {
    return refused(step.id, refusal('registry', 'hallucinated_capability', `there is no tool ${step.tool}`));
  }
  if (!spec.active) {
    return refused(step.id, refusal('registry', 'tool_inactive', `tool ${spec.name} is switched off`));
  }
  const mode = stricter(spec.approval_mode, step.approval_mode);
  const call: ProposedCall = { ...request, spec, mode };
  let said = PASS;
  for (const layer of layers) {
    const ruling = layer(call);
    if (!ruling.ok) return refused(step.id, ruling, said.policy);
    // Most layers have nothing to add to a call that they let pass.
    if (ruling !== PASS) said = said === PASS ? ruling : both(said, ruling);
  }
  return clearedBy(request, mode, said);
}

/** What two layers say of a call: the gates of both, the later instant, and of each finding the one that came first. */
function both(first: Pass, second: Pass): Pass {
  return {
    ...second,
    ...first,
    gates: gatesOf(first.gates, second.gates),
    notBefore: Math.max(first.notBefore, second.notBefore),
  };
}

function gatesOf(first: readonly string[], second: readonly string[]): readonly string[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...new Set([...first, ...second])];
}

/** What the gateway says of a call; what the policies decided about it is told in full. */
export type Clearance = Cleared | Refused;
export type Cleared = Omit<Extract<EventBody, { type: 'step_cleared' }>, 'policy'> & {
  readonly policy?: PolicyDecision;
};
type Refused = Extract<EventBody, { type: 'step_refused' }>;

/** The call as it was asked for, and what the layers have found about it, each where one has. */
function clearedBy({ step, args, argsHash, now }: ClearRequest, mode: ApprovalMode, said: Pass): Cleared {
  const cleared: { -readonly [Name in keyof Cleared]: Cleared[Name] } = {
    type: 'step_cleared',
    step_id: step.id,
    args,
    args_hash: argsHash,
    mode,
    gates: said.gates,
  };
  if (said.notBefore > now) cleared.not_before = said.notBefore;
  if (said.preview !== undefined) cleared.preview = said.preview;
  if (said.granted !== undefined) cleared.granted = said.granted;
  if (said.policy !== undefined) cleared.policy = said.policy;
  return cleared;
}

const stricter = (registry: ApprovalMode, declared: ApprovalMode | undefined): ApprovalMode =>
  declared !== undefined && compareModes(declared, registry) > 0 ? declared : registry;

/** What the policies had said by then is told even where another layer refuses. */
function refused(stepId: string, refusal: Refusal, said?: PolicyDecision): Refused {
  const { layer, code, message, missing } = refusal;
  const policy = said ?? refusal.policy;
  const body = { type: 'step_refused', step_id: stepId, layer, code, message, missing } as const;
  return policy === undefined ? body : { ...body, policy };
}
