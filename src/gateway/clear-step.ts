import { type ApprovalMode, compareModes } from '../model/approval-mode.ts';
import type { EventBody } from '../model/event.ts';
import type { PolicyDecision } from '../model/policy-decision.ts';
import type { ToolSpec } from '../model/tool.ts';
import { type Layer, type Pass, type ProposedCall, type Refusal, type Ruling, refusal } from './layers/layer.ts';

/** A call as the kernel asks for it; whether there is such a tool is the first question. */
export interface ClearRequest extends Omit<ProposedCall, 'spec' | 'mode'> {
  readonly spec: ToolSpec | undefined;
}

/** Lets a call pass or refuses it, with the layer that did. Nothing is sent here. */
export function clearStep(request: ClearRequest, layers: readonly Layer[]): EventBody {
  const { step, spec, args, argsHash } = request;
  if (spec === undefined) {
    return refused(step.id, refusal('registry', 'hallucinated_capability', `there is no tool ${step.tool}`));
  }
  if (!spec.active) {
    return refused(step.id, refusal('registry', 'tool_inactive', `tool ${spec.name} is switched off`));
  }
  const mode = stricter(spec.approval_mode, step.approval_mode);
  const call: ProposedCall = { ...request, spec, mode };
  const passes: Pass[] = [];
  for (const layer of layers) {
    const ruling = layer(call);
    if (!ruling.ok) return refused(step.id, ruling, passes);
    passes.push(ruling);
  }
  const gates = gatesOf(passes);
  const notBefore = Math.max(...passes.map((pass) => pass.notBefore));
  const cleared = { type: 'step_cleared', step_id: step.id, args, args_hash: argsHash, mode, gates } as const;
  const timed = notBefore > request.now ? { ...cleared, not_before: notBefore } : cleared;
  const granted = passes.find((pass) => pass.granted !== undefined)?.granted;
  const policy = decisionIn(passes);
  const preview = passes.find((pass) => pass.preview !== undefined)?.preview;
  const shown = preview === undefined ? timed : { ...timed, preview };
  return { ...shown, ...(granted === undefined ? {} : { granted }), ...(policy === undefined ? {} : { policy }) };
}

const decisionIn = (rulings: readonly Ruling[]): PolicyDecision | undefined =>
  rulings.find(({ policy }) => policy !== undefined)?.policy;

const stricter = (registry: ApprovalMode, declared: ApprovalMode | undefined): ApprovalMode =>
  declared !== undefined && compareModes(declared, registry) > 0 ? declared : registry;

const NO_GATES: readonly string[] = Object.freeze([]);

function gatesOf(passes: readonly Pass[]): readonly string[] {
  const named = passes.filter(({ gates }) => gates.length > 0);
  if (named.length === 0) return NO_GATES;
  return named.length === 1 ? (named[0]?.gates ?? NO_GATES) : [...new Set(named.flatMap(({ gates }) => gates))];
}

/** What the policies had said by then is told even where another layer refuses. */
function refused(stepId: string, refusal: Refusal, passes: readonly Pass[] = []): EventBody {
  const { layer, code, message, missing } = refusal;
  const policy = decisionIn([...passes, refusal]);
  const body = { type: 'step_refused', step_id: stepId, layer, code, message, missing } as const;
  return policy === undefined ? body : { ...body, policy };
}
