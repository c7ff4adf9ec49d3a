import { type ApprovalMode, compareModes, runsInline } from '../model/approval-mode.ts';
import type { ToolBounds } from '../model/boundary.ts';
import type { EventBody, RefusalLayer } from '../model/event.ts';
import type { FaultCode } from '../model/fault.ts';
import type { SecurityToken } from '../model/identity.ts';
import type { JsonObject } from '../model/json.ts';
import type { PlanStep } from '../model/plan.ts';
import type { Problem } from '../model/problem.ts';
import type { RiskClass } from '../model/risk.ts';
import type { ToolSpec } from '../model/tool.ts';
import { ruleOnCall } from './tool-bounds.ts';

/** A call that asks to be let through, and the authority under which it asks. */
export interface ClearRequest {
  readonly step: PlanStep;
  readonly spec: ToolSpec | undefined;
  readonly args: JsonObject;
  readonly token: SecurityToken | null;
  readonly now: number;
  readonly rules: CallRules;
  readonly check: (args: JsonObject) => readonly Problem[];
  readonly argsHash: string;
}

/** What holds for the call beyond its tool and its plan. */
export interface CallRules {
  /** The bounds of the manifest: those that authorised the run, not those of today. */
  readonly bounds: ToolBounds;
  readonly risk: RiskClass;
  /** The gates of the decisions that govern the tool. */
  readonly approvals: readonly string[];
}

/**
 * The gateway's checks in their fixed order: is there such a tool, do the arguments fit, may this identity use it,
 * under which mode, and inside the boundary. The first that says no is the reason; nothing is tried around it.
 */
export function clearStep(request: ClearRequest): EventBody {
  const { step, spec, args, token } = request;
  if (spec === undefined)
    return refuse(step.id, 'registry', 'hallucinated_capability', `there is no tool ${step.tool}`);
  if (!spec.active) return refuse(step.id, 'registry', 'tool_inactive', `tool ${spec.name} is switched off`);
  const problems = request.check(args);
  const forbidden = problems.find(({ code }) => code === 'argument_not_allowed');
  if (forbidden !== undefined) return refuse(step.id, 'permission', forbidden.code, forbidden.message);
  if (problems.length > 0) return refuseArguments(step.id, spec, args, problems);
  if (token === null || request.now >= token.expires_at) {
    return refuse(step.id, 'permission', 'permission_denied', 'the identity of this run is no longer valid');
  }
  if (!token.allowed_tools.includes(spec.name)) {
    return refuse(step.id, 'permission', 'tool_not_allowed', `${token.actor} may not use ${spec.name}`);
  }
  const mode = stricter(spec.approval_mode, step.approval_mode);
  if (compareModes(mode, token.approval_authority) > 0) {
    return refuse(step.id, 'risk', 'approval_authority_exceeded', `this run has no authority for ${mode} calls`);
  }
  const ruling = ruleOnCall(request.rules.bounds, { tool: spec.name, mode, risk: request.rules.risk });
  if (!ruling.ok) return refuse(step.id, ruling.layer, ruling.code, ruling.message);
  const gates = gatesFor(step, spec, [...request.rules.approvals, ...ruling.gates]);
  if (gates.length === 0 && !runsInline(mode)) {
    return refuse(step.id, 'risk', 'approval_missing', `a ${mode} call needs a gate and none is named`);
  }
  return { type: 'step_cleared', step_id: step.id, args, args_hash: request.argsHash, mode, gates };
}

const stricter = (registry: ApprovalMode, declared: ApprovalMode | undefined): ApprovalMode =>
  declared !== undefined && compareModes(declared, registry) > 0 ? declared : registry;

const NO_GATES: readonly string[] = Object.freeze([]);

/** A step may ask for more gates than its tool, its decisions and the boundary do, never for fewer. */
function gatesFor(step: PlanStep, spec: ToolSpec, ruled: readonly string[]): readonly string[] {
  const asked = step.requires ?? NO_GATES;
  if (ruled.length + asked.length + spec.gates.length === 0) return NO_GATES;
  return [...new Set([...spec.gates, ...ruled, ...asked])];
}

/** What only the user can know is asked for; what is wrong is refused. */
function refuseArguments(stepId: string, spec: ToolSpec, args: JsonObject, problems: readonly Problem[]): EventBody {
  const required = Array.isArray(spec.input_schema['required']) ? spec.input_schema['required'] : [];
  const missing = required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(args, name));
  const message = problems.map((problem) => `${problem.path} ${problem.message}`.trim()).join('; ');
  return { type: 'step_refused', step_id: stepId, layer: 'schema', code: 'argument_invalid', message, missing };
}

function refuse(stepId: string, layer: RefusalLayer, code: FaultCode, message: string): EventBody {
  return { type: 'step_refused', step_id: stepId, layer, code, message, missing: [] };
}
