import type { RefusalLayer } from '../../model/events/step-events.ts';
import {
  type CallOrigin,
  isGrantable,
  needsProvenanceGate,
  PROVENANCE_GATE,
  type RequestGrant,
  SOURCE_MODEL,
  untrustedReach,
} from '../../model/evidence/origin.ts';
import type { FaultCode } from '../../model/fault/fault.ts';
import { type ApprovalMode, compareModes, runsInline } from '../../model/gate/approval-mode.ts';
import { GATE_MODE_APPROVAL } from '../../model/gate/gate.ts';
import { BOUNDARY_GATE, type ToolBounds } from '../../model/policy/boundary.ts';
import { atLeast, type RiskClass } from '../../model/policy/risk.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { type Layer, PASS, type Pass, type ProposedCall, passThrough, refusal } from './layer.ts';

/** The facts about a call that come from the system, not from the model. */
export interface CallFacts {
  readonly tool: string;
  /** The effective mode: the stricter one of the tool's and the step's. */
  readonly mode: ApprovalMode;
  readonly risk: RiskClass;
  /** The call takes back an effect, so the list of permitted tools does not have to name it. */
  readonly undoes?: boolean | undefined;
}

type BoundsRuling =
  | { readonly ok: true; readonly gates: readonly string[] }
  | { readonly ok: false; readonly layer: RefusalLayer; readonly code: FaultCode; readonly message: string };

const FREE: BoundsRuling = Object.freeze({ ok: true, gates: Object.freeze([]) });
const ASKS: BoundsRuling = Object.freeze({ ok: true, gates: Object.freeze([BOUNDARY_GATE]) });

/** Rules on a call by the boundary that authorised the run. A refusal comes before any gate opens. */
export function ruleOnCall(bounds: ToolBounds, { tool, mode, risk, undoes = false }: CallFacts): BoundsRuling {
  if (!undoes && !bounds.allowed.includes(tool)) {
    return { ok: false, layer: 'permission', code: 'tool_not_allowed', message: `${tool} is outside the boundary` };
  }
  if (compareModes(mode, bounds.mode_max) > 0) {
    const message = `the boundary permits calls up to ${bounds.mode_max}, and this one is ${mode}`;
    return { ok: false, layer: 'risk', code: 'approval_authority_exceeded', message };
  }
  if (!atLeast(bounds.risk_max, risk)) {
    const message = `the boundary permits calls up to ${bounds.risk_max} risk, and this run is ${risk}`;
    return { ok: false, layer: 'risk', code: 'risk_max_exceeded', message };
  }
  return bounds.needs_approval.includes(tool) ? ASKS : FREE;
}

/** Returns why untrusted arguments are refused, or null. With `untrusted_arguments: 'shown'` the approver decides. */
function ruleOnOrigin(
  bounds: ToolBounds,
  spec: ToolSpec,
  mode: ApprovalMode,
  origin: CallOrigin,
): { readonly code: FaultCode; readonly message: string } | null {
  if (bounds.untrusted_arguments === 'shown') return null;
  const pointer = untrustedReach(spec, mode, origin);
  if (pointer === null) return null;
  const place = `${pointer === '' ? 'the arguments' : pointer} of ${spec.name}`;
  const message = `${place} may not come from ${describeUntrusted(origin.untrusted[pointer])}`;
  return { code: 'untrusted_argument', message };
}

const SHOW_ARGUMENTS = "set untrusted_arguments: 'shown' in the boundary, so that a person decides";

/** An untrusted source, with the settings that permit its values. A model is untrusted because of the texts it has read. */
const describeUntrusted = (source: string | undefined): string =>
  source === SOURCE_MODEL
    ? `a model that has read untrusted text: set risk: { trusted: true } on a tool that reads only your own data, or ${SHOW_ARGUMENTS}`
    : `${source}, which is not trusted: ${SHOW_ARGUMENTS}`;

/** Checks the call's effects against the authority of the run and its boundary, and collects the gates it needs. */
export const riskLayer: Layer = (call) => {
  const { spec, mode, token, rules, origin } = call;
  const { undoes } = rules;
  // A compensation beyond the authority of the identity waits for a person with that authority.
  if (token === null || (undoes !== true && compareModes(mode, token.approval_authority) > 0)) {
    return refusal('risk', 'approval_authority_exceeded', `this run has no authority for ${mode} calls`);
  }
  const ruling = ruleOnCall(rules.bounds, { tool: spec.name, mode, risk: rules.risk, undoes });
  if (!ruling.ok) return refusal(ruling.layer, ruling.code, ruling.message);
  const [denied] = rules.conditions?.(call.step, spec, call.args) ?? NOT_DENIED;
  if (denied !== undefined) return refusal('risk', denied.code, denied.message);
  if (rules.localEffects === true && !isLocal(call)) {
    return refusal('risk', 'side_effect_not_local', `${spec.name} changes something outside the workspace of the run`);
  }
  const tainted = ruleOnOrigin(rules.bounds, spec, mode, origin);
  if (tainted !== null) return refusal('risk', tainted.code, tainted.message);
  const gates = gatesFor(call, ruling.gates);
  const granted = grantFor(call, gates);
  if (granted !== null) return grantedPass(gates, granted);
  if (gates.length > 0) return passThrough(gates);
  if (needsProvenanceGate(spec, mode, origin)) return passThrough([PROVENANCE_GATE]);
  return runsInline(mode) ? PASS : refusal('risk', 'approval_missing', `a ${mode} call needs a gate and none is named`);
};

const NOT_DENIED: readonly [] = Object.freeze([]);

/** Whether the call only reads or changes only the run's own workspace. */
const isLocal = ({ spec, mode }: ProposedCall): boolean =>
  !spec.side_effect || (!spec.external && compareModes(mode, 'local_write') <= 0);

const NO_GATES: readonly string[] = Object.freeze([]);

/** The gates of the tool, its decisions, the boundary and the step. A step can add gates, never remove one. */
function gatesFor({ step, spec, rules }: ProposedCall, ruled: readonly string[]): readonly string[] {
  const asked = step.requires ?? NO_GATES;
  if (ruled.length + asked.length + spec.gates.length + rules.approvals.length === 0) return NO_GATES;
  return [...new Set([...spec.gates, ...rules.approvals, ...ruled, ...asked])];
}

/** The requester's grant for the mode approval gate, or null. All other gates remain. */
function grantFor({ mode, origin }: ProposedCall, gates: readonly string[]): RequestGrant | null {
  return origin.grant !== null && isGrantable(mode) && gates.includes(GATE_MODE_APPROVAL) ? origin.grant : null;
}

function grantedPass(gates: readonly string[], granted: RequestGrant): Pass {
  return { ...passThrough(gates.filter((gate) => gate !== GATE_MODE_APPROVAL)), granted };
}
