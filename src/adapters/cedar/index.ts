/** Policies in Cedar: `ambit/cedar`. */
export type {
  PolicyDecision,
  PolicyDifference,
  PolicyRuling,
  ShadowRuling,
} from '../../model/policy/policy-decision.ts';
export type {
  CallCircumstances,
  CallRequest,
  GateRequest,
  PolicyGate,
  PolicyPrincipal,
  PolicyRequest,
  PolicyTool,
} from '../../model/policy/policy-request.ts';
export type { Authorizer } from '../../ports/authorizer.ts';
export { cedarAuthorizer } from './cedar-authorizer.ts';
export { type PolicySource, policyFile, policyFiles, shippedPolicies } from './read-policies.ts';
