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
  const passes: Pass[] = [];
  for (const layer of layers) {
    const ruling = layer(call);
    if (!ruling.ok) return refused(step.id, ruling, passes);
    // Most layers have nothing to add to a call that they let pass.
    if (ruling !== PASS) passes.push(ruling);
  }
  return clearedBy(request, mode, passes);
}

/** What the gateway says of a call; what the policies decided about it is told in full. */
export type Clearance = Cleared | Refused;
export type Cleared = Omit<Extract<EventBody, { type: 'step_cleared' }>, 'policy'> & {
  readonly policy?: PolicyDecision;
};
type Refused = Extract<EventBody, { type: 'step_refused' }>;

/** The call as it was asked for, and what the layers have found about it, each where one has. */
function clearedBy({ step, args, argsHash, now }: ClearRequest, mode: ApprovalMode, passes: readonly Pass[]): Cleared {
  const cleared: { -readonly [Name in keyof Cleared]: Cleared[Name] } = {
    type: 'step_cleared',
    step_id: step.id,
    args,
    args_hash: argsHash,
    mode,
    gates: gatesOf(passes),
  };
  const notBefore = latestOf(passes);
  const preview = firstOf(passes, 'preview');
  const granted = firstOf(passes, 'granted');
  const policy = firstOf(passes, 'policy');
  if (notBefore > now) cleared.not_before = notBefore;
  if (preview !== undefined) cleared.preview = preview;
  if (granted !== undefined) cleared.granted = granted;
  if (policy !== undefined) cleared.policy = policy;
  return cleared;
}

function latestOf(passes: readonly Pass[]): number {
  let latest = 0;
  for (const { notBefore } of passes) if (notBefore > latest) latest = notBefore;
  return latest;
}

type Finding = 'preview' | 'granted' | 'policy';

function firstOf<Name extends Finding>(passes: readonly Pass[], name: Name): Pass[Name] | undefined {
  for (const pass of passes) if (pass[name] !== undefined) return pass[name];
  return undefined;
}

const stricter = (registry: ApprovalMode, declared: ApprovalMode | undefined): ApprovalMode =>
  declared !== undefined && compareModes(declared, registry) > 0 ? declared : registry;

const NO_GATES: readonly string[] = Object.freeze([]);

function gatesOf(passes: readonly Pass[]): readonly string[] {
  const named = passes.filter(({ gates }) => gates.length > 0);
  if (named.length === 0) return NO_GATES;
  return named.length === 1 ? (named[0]?.gates ?? NO_GATES) : [...new Set(named.flatMap(({ gates }) => gates))];
}

/** What the policies had said by then is told even where another layer refuses. */
function refused(stepId: string, refusal: Refusal, passes: readonly Pass[] = []): Refused {
  const { layer, code, message, missing } = refusal;
  const policy = firstOf(passes, 'policy') ?? refusal.policy;
  const body = { type: 'step_refused', step_id: stepId, layer, code, message, missing } as const;
  return policy === undefined ? body : { ...body, policy };
}
