import type { ApprovalMode } from './approval-mode.ts';
import type { GateKind } from './gate.ts';
import type { JsonObject } from './json.ts';
import type { Environment } from './manifest.ts';
import type { RiskClass } from './risk.ts';
import type { RiskProfileName } from './risk-profile.ts';
import type { ToolCategory } from './tool.ts';

/** In whose name something is asked for: an agent, and the identity it acts for. */
export interface PolicyPrincipal {
  readonly agent: string;
  readonly user: string;
  readonly roles: readonly string[];
  readonly tenant: string;
}

/** The tool of a call, as the registry describes it; `mode` is the one that counts for this call. */
export interface PolicyTool {
  readonly name: string;
  readonly version: string;
  readonly mode: ApprovalMode;
  readonly category: ToolCategory;
  readonly external: boolean;
  readonly side_effect: boolean;
  readonly trusted: boolean;
  /** The kind of action in the words of a risk profile; null where the tool does not say. */
  readonly action: string | null;
  readonly blast_radius: string | null;
  readonly rollback: string | null;
}

/** What is known when a call is decided about: when its plan is verified, and again when it would be sent. */
export interface CallCircumstances {
  readonly profile: RiskProfileName | null;
  readonly environment: Environment;
  readonly risk: RiskClass;
  readonly arguments: JsonObject;
  /** JSON Pointers of arguments that an earlier step is still to supply. Nothing is pending at dispatch. */
  readonly pending: readonly string[];
  /** JSON Pointers of arguments that come from a source nobody vouches for. */
  readonly untrusted: readonly string[];
  /** Whoever wrote the plan had untrusted text before them. */
  readonly planned_after_untrusted: boolean;
  /** Types of evidence that steps before this one are still to bring. Nothing is expected at dispatch. */
  readonly expected: readonly string[];
  /** The newest evidence of each type. A field that is not text, a number, yes or no, or a list of text is null. */
  readonly evidence: Readonly<Record<string, JsonObject>>;
  /** What is left of the budget, by counter. */
  readonly remaining: Readonly<Record<string, number>>;
  /** Gates whose approval fits exactly this call. */
  readonly approvals: readonly string[];
}

export interface CallRequest {
  readonly action: 'call_tool';
  readonly principal: PolicyPrincipal;
  readonly resource: PolicyTool;
  readonly context: CallCircumstances;
}

/** A gate that somebody wants to decide. */
export interface PolicyGate {
  readonly name: string;
  readonly kind: GateKind;
  /** The identity for which the run acts. */
  readonly requester: string;
}

export interface GateRequest {
  readonly action: 'decide_gate';
  /** The one who decides; `agent` is the agent of the run. */
  readonly principal: PolicyPrincipal;
  readonly resource: PolicyGate;
  readonly context: { readonly environment: Environment; readonly risk: RiskClass };
}

/** Everything that a policy may look at. What is not in here cannot have decided anything. */
export type PolicyRequest = CallRequest | GateRequest;
