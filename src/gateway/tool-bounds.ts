import { type ApprovalMode, compareModes } from '../model/approval-mode.ts';
import { BOUNDARY_GATE, type ToolBounds } from '../model/boundary.ts';
import type { RefusalLayer } from '../model/events/step-events.ts';
import type { FaultCode } from '../model/fault.ts';
import { type CallOrigin, untrustedReach } from '../model/origin.ts';
import { atLeast, type RiskClass } from '../model/risk.ts';
import type { ToolSpec } from '../model/tool.ts';

/** What the system, not the model, knows about a call it is asked to make. */
export interface CallFacts {
  readonly tool: string;
  /** The mode that counts: the stricter of what the tool and the step ask for. */
  readonly mode: ApprovalMode;
  readonly risk: RiskClass;
}

export type BoundsRuling =
  | { readonly ok: true; readonly gates: readonly string[] }
  | { readonly ok: false; readonly layer: RefusalLayer; readonly code: FaultCode; readonly message: string };

const FREE: BoundsRuling = Object.freeze({ ok: true, gates: Object.freeze([]) });
const ASKS: BoundsRuling = Object.freeze({ ok: true, gates: Object.freeze([BOUNDARY_GATE]) });

/**
 * The ruling of the boundary that authorised the run, whatever the registry, the token or a plan would permit. Whatever
 * is refused is refused before anybody is asked.
 */
export function ruleOnCall(bounds: ToolBounds, { tool, mode, risk }: CallFacts): BoundsRuling {
  if (!bounds.allowed.includes(tool)) {
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

/** Why a call may not be made of what it is made of, or null. A boundary that shows such arguments leaves it to a person. */
export function ruleOnOrigin(
  bounds: ToolBounds,
  spec: ToolSpec,
  mode: ApprovalMode,
  origin: CallOrigin,
): { readonly code: FaultCode; readonly message: string } | null {
  if (bounds.untrusted_arguments === 'shown') return null;
  const pointer = untrustedReach(spec, mode, origin);
  if (pointer === null) return null;
  const message = `${pointer === '' ? 'the arguments' : pointer} of ${spec.name} may not come from ${origin.untrusted[pointer]}, which is not trusted`;
  return { code: 'untrusted_argument', message };
}
