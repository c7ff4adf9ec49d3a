import { compareModes, runsInline } from '../../model/approval-mode.ts';
import { GATE_MODE_APPROVAL } from '../../model/gate.ts';
import { demandsGate, isGrantable, PROVENANCE_GATE, type RequestGrant } from '../../model/origin.ts';
import { ruleOnCall, ruleOnOrigin } from '../tool-bounds.ts';
import { type Layer, PASS, type Pass, type ProposedCall, passThrough, refusal } from './layer.ts';

/** What the call may do to the world, held against the authority of the run and its boundary. */
export const riskLayer: Layer = (call) => {
  const { spec, mode, token, rules, origin } = call;
  if (token === null || compareModes(mode, token.approval_authority) > 0) {
    return refusal('risk', 'approval_authority_exceeded', `this run has no authority for ${mode} calls`);
  }
  const ruling = ruleOnCall(rules.bounds, { tool: spec.name, mode, risk: rules.risk });
  if (!ruling.ok) return refusal(ruling.layer, ruling.code, ruling.message);
  if (rules.localEffects === true && !isLocal(call)) {
    return refusal('risk', 'side_effect_not_local', `${spec.name} changes something outside the workspace of the run`);
  }
  const tainted = ruleOnOrigin(rules.bounds, spec, mode, origin);
  if (tainted !== null) return refusal('risk', tainted.code, tainted.message);
  const gates = gatesFor(call, ruling.gates);
  const granted = grantFor(call, gates);
  if (granted !== null) return grantedPass(gates, granted);
  if (gates.length > 0) return passThrough(gates);
  if (demandsGate(spec, mode, origin)) return passThrough([PROVENANCE_GATE]);
  return runsInline(mode) ? PASS : refusal('risk', 'approval_missing', `a ${mode} call needs a gate and none is named`);
};

/** It only looks, or it changes something that is the run's own. */
const isLocal = ({ spec, mode }: ProposedCall): boolean =>
  !spec.side_effect || (!spec.external && compareModes(mode, 'local_write') <= 0);

const NO_GATES: readonly string[] = Object.freeze([]);

/** A step may ask for more gates than its tool, its decisions and the boundary do, never for fewer. */
function gatesFor({ step, spec, rules }: ProposedCall, ruled: readonly string[]): readonly string[] {
  const asked = step.requires ?? NO_GATES;
  if (ruled.length + asked.length + spec.gates.length + rules.approvals.length === 0) return NO_GATES;
  return [...new Set([...spec.gates, ...rules.approvals, ...ruled, ...asked])];
}

/** The requester's word opens the gate that the mode alone asks for. Every gate with a name of its own still stands. */
function grantFor({ mode, origin }: ProposedCall, gates: readonly string[]): RequestGrant | null {
  return origin.grant !== null && isGrantable(mode) && gates.includes(GATE_MODE_APPROVAL) ? origin.grant : null;
}

function grantedPass(gates: readonly string[], granted: RequestGrant): Pass {
  return { ...passThrough(gates.filter((gate) => gate !== GATE_MODE_APPROVAL)), granted };
}
