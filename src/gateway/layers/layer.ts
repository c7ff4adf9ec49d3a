import type { ApprovalMode } from '../../model/approval-mode.ts';
import type { ToolBounds } from '../../model/boundary.ts';
import type { RefusalLayer } from '../../model/events/step-events.ts';
import type { FaultCode } from '../../model/fault.ts';
import type { SecurityToken } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CallOrigin, RequestGrant } from '../../model/origin.ts';
import type { PlanStep } from '../../model/plan.ts';
import type { PolicyDecision } from '../../model/policy-decision.ts';
import type { Problem } from '../../model/problem.ts';
import type { RiskClass } from '../../model/risk.ts';
import type { ToolSpec } from '../../model/tool.ts';

/** The run in whose name a call is made. */
export interface CallingRun {
  readonly runId: string;
  readonly tenantId: string;
  readonly agent: string;
}

/** What holds for the call beyond its tool and its plan. */
export interface CallRules {
  /** The bounds of the manifest: those that authorised the run, not those of today. */
  readonly bounds: ToolBounds;
  readonly risk: RiskClass;
  /** The gates of the decisions that govern the tool. */
  readonly approvals: readonly string[];
  /** Whether what the run may change is all in its own workspace, however much of it is left. */
  readonly localEffects?: boolean;
  /** When this run may try a tool again that it has given up on; absent for every other tool. */
  readonly trippedUntil?: number | undefined;
  /** What the policies say of exactly this call; absent where there are none about calls. */
  readonly authorize?: (() => PolicyDecision) | undefined;
}

/** A call of a tool that exists, asking to be let through, and the authority under which it asks. */
export interface ProposedCall {
  readonly run: CallingRun;
  readonly step: PlanStep;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly argsHash: string;
  readonly attempt: number;
  /** Who chose the call and what it is made of, as the kernel derived it. */
  readonly origin: CallOrigin;
  /** The mode that counts: the stricter of what the tool and the step ask for. */
  readonly mode: ApprovalMode;
  readonly token: SecurityToken | null;
  readonly now: number;
  readonly rules: CallRules;
  /** The tool is not there: an earlier answer of it would be given instead. */
  readonly cached?: true | undefined;
  readonly check: (args: JsonObject) => readonly Problem[];
}

/** It may pass, through these gates and not before then. */
export interface Pass {
  readonly ok: true;
  readonly gates: readonly string[];
  readonly notBefore: number;
  /** What whoever decides about it should look at: a difference, a statement, a target. */
  readonly preview?: JsonObject;
  /** The requester's word, where it stands for the gate of the mode. */
  readonly granted?: RequestGrant;
  /** The decision that let it pass. */
  readonly policy?: PolicyDecision;
}

/** It may not pass. `missing` are arguments that only the user can know. */
export interface Refusal {
  readonly ok: false;
  readonly layer: RefusalLayer;
  readonly code: FaultCode;
  readonly message: string;
  readonly missing: readonly string[];
  /** The decision that forbids it, where it was one. */
  readonly policy?: PolicyDecision;
}

export type Ruling = Pass | Refusal;

/** One check of the gateway. It rules on the call as it is: no layer changes what will be sent. */
export type Layer = (call: ProposedCall) => Ruling;

const NONE: readonly string[] = Object.freeze([]);
export const PASS: Pass = Object.freeze({ ok: true, gates: NONE, notBefore: 0 });

export const passThrough = (gates: readonly string[]): Pass => ({ ok: true, gates, notBefore: 0 });

export function refusal(layer: RefusalLayer, code: FaultCode, message: string): Refusal {
  return { ok: false, layer, code, message, missing: NONE };
}
