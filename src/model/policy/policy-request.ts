import type { ApprovalMode } from '../gate/approval-mode.ts';
import type { GateKind } from '../gate/gate.ts';
import type { JsonObject } from '../json/json.ts';
import type { Environment } from '../run/manifest.ts';
import type { ToolCategory } from '../tool/tool.ts';
import type { RiskClass, RiskProfileName } from './risk.ts';

/** The agent that requests something, and the identity it acts for. */
export interface PolicyPrincipal {
  readonly agent: string;
  readonly user: string;
  readonly roles: readonly string[];
  readonly tenant: string;
}

/** The tool of a call as the registry describes it. `mode` is the effective mode of this call. */
export interface PolicyTool {
  readonly name: string;
  readonly version: string;
  readonly mode: ApprovalMode;
  readonly category: ToolCategory;
  readonly external: boolean;
  readonly side_effect: boolean;
  readonly trusted: boolean;
  /** The kind of action, as named in risk profiles; null if the tool does not declare it. */
  readonly action: string | null;
  readonly blast_radius: string | null;
  readonly rollback: string | null;
}

/** The facts known when a call is decided: when its plan is verified, and again before dispatch. */
export interface CallCircumstances {
  readonly profile: RiskProfileName | null;
  readonly environment: Environment;
  readonly risk: RiskClass;
  readonly arguments: JsonObject;
  /** JSON Pointers of arguments that an earlier step will supply. Empty at dispatch. */
  readonly pending: readonly string[];
  /** JSON Pointers of arguments from untrusted sources. */
  readonly untrusted: readonly string[];
  /** The planner had read untrusted text. */
  readonly planned_after_untrusted: boolean;
  /** Types of evidence that earlier steps will supply. Empty at dispatch. */
  readonly expected: readonly string[];
  /** The newest evidence of each type. A field that is not text, a number, a boolean or a list of text is null. */
  readonly evidence: Readonly<Record<string, JsonObject>>;
  /** The remaining budget by counter. */
  readonly remaining: Readonly<Record<string, number>>;
  /** Gates whose approval is valid for exactly this call. */
  readonly approvals: readonly string[];
}

export interface CallRequest {
  readonly action: 'call_tool';
  readonly principal: PolicyPrincipal;
  readonly resource: PolicyTool;
  readonly context: CallCircumstances;
}

/** A gate to be decided. */
export interface PolicyGate {
  readonly name: string;
  readonly kind: GateKind;
  /** The identity the run acts for. */
  readonly requester: string;
}

export interface GateRequest {
  readonly action: 'decide_gate';
  /** The person who decides; `agent` is the agent of the run. */
  readonly principal: PolicyPrincipal;
  readonly resource: PolicyGate;
  readonly context: { readonly environment: Environment; readonly risk: RiskClass };
}

/** All the data a policy may use. A decision cannot depend on anything else. */
export type PolicyRequest = CallRequest | GateRequest;
