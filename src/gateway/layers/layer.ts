import type { RefusalLayer } from '../../model/events/step-events.ts';
import type { CallOrigin, RequestGrant } from '../../model/evidence/origin.ts';
import type { FaultCode } from '../../model/fault/fault.ts';
import type { ApprovalMode } from '../../model/gate/approval-mode.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import type { ToolBounds } from '../../model/policy/boundary.ts';
import type { PolicyDecision } from '../../model/policy/policy-decision.ts';
import type { RiskClass } from '../../model/policy/risk.ts';
import type { SecurityToken } from '../../model/run/identity.ts';
import type { InputEvidence } from '../../model/tool/step-input.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

export interface CallingRun {
  readonly runId: string;
  readonly tenantId: string;
  readonly agent: string;
}

/** The rules for a call that come from neither its tool nor its plan. */
export interface CallRules {
  /** The tool bounds of the manifest that authorised the run, not of the current one. */
  readonly bounds: ToolBounds;
  readonly risk: RiskClass;
  /** The gates of the decisions that govern the tool. */
  readonly approvals: readonly string[];
  /** Whether the run may change only its own workspace. */
  readonly localEffects?: boolean;
  /** Lists the conditions of the boundary that deny a call; absent if the boundary has none. */
  readonly conditions?: ((step: PlanStep, spec: ToolSpec, args: JsonObject) => readonly Denial[]) | undefined;
  /** The call compensates an effect of the run or probes that compensation. It is permitted with the effect's tool. */
  readonly undoes?: boolean;
  /** When this run may call the tool again after giving up on it; absent if it has not given up. */
  readonly trippedUntil?: number | undefined;
  /** Evaluates the policies for exactly this call; absent if no policy is about calls. */
  readonly authorize?: (() => PolicyDecision) | undefined;
}

/** The reason for which a condition of the boundary denies a call. */
interface Denial {
  readonly code: FaultCode;
  readonly message: string;
}

/** A call of a registered tool that is to be authorized, with the authority of its run. */
export interface ProposedCall {
  readonly run: CallingRun;
  readonly step: PlanStep;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly argsHash: string;
  /** The evidence behind the inputs of the call, by context key. */
  readonly inputs?: InputEvidence | undefined;
  readonly attempt: number;
  /** The author of the call and the origin of its arguments, as the kernel derived them. */
  readonly origin: CallOrigin;
  /** The effective mode: the stricter one of the tool's and the step's. */
  readonly mode: ApprovalMode;
  readonly token: SecurityToken | null;
  readonly now: number;
  readonly rules: CallRules;
  /** The tool is down and the call is to be answered from the cache. */
  readonly cached?: true | undefined;
  readonly check: (args: JsonObject) => readonly Problem[];
}

/** The call may be sent, after these gates and not before `notBefore`. */
export interface Pass {
  readonly ok: true;
  readonly gates: readonly string[];
  readonly notBefore: number;
  /** Shown to the approver: a diff, an SQL statement, a target. */
  readonly preview?: JsonObject;
  /** The requester's own request, if it replaces the approval that the mode requires. */
  readonly granted?: RequestGrant;
  readonly policy?: PolicyDecision;
}

/** The call is refused. `missing` lists required arguments that only the user can provide. */
export interface Refusal {
  readonly ok: false;
  readonly layer: RefusalLayer;
  readonly code: FaultCode;
  readonly message: string;
  readonly missing: readonly string[];
  /** The policy decision that forbids the call, if that is the reason. */
  readonly policy?: PolicyDecision;
}

export type Ruling = Pass | Refusal;

/** One check of the gateway. A layer rules on the call and never changes its arguments. */
export type Layer = (call: ProposedCall) => Ruling;

const NONE: readonly string[] = Object.freeze([]);
export const PASS: Pass = Object.freeze({ ok: true, gates: NONE, notBefore: 0 });

export const passThrough = (gates: readonly string[]): Pass => ({ ok: true, gates, notBefore: 0 });

export function refusal(layer: RefusalLayer, code: FaultCode, message: string): Refusal {
  return { ok: false, layer, code, message, missing: NONE };
}
