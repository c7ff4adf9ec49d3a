import { whyForbidden } from '../../model/policy/policy-decision.ts';
import { type CallRules, type Layer, PASS, type Ruling, refusal } from './layer.ts';

/** Checks that the run's identity may use the tool and that the policies permit exactly this call. */
export const permissionLayer: Layer = ({ spec, token, now, rules }) => {
  if (token === null || now >= token.expires_at) {
    return refusal('permission', 'permission_denied', 'the identity of this run is no longer valid');
  }
  if (rules.undoes !== true && !token.allowed_tools.includes(spec.name)) {
    return refusal('permission', 'tool_not_allowed', `${token.actor} may not use ${spec.name}`);
  }
  return rules.authorize === undefined ? PASS : ruled(spec.name, rules.authorize);
};

/** Applies the policies. A forbid refuses the call before any gate opens, so no approval can override it. */
function ruled(tool: string, authorize: NonNullable<CallRules['authorize']>): Ruling {
  const policy = authorize();
  if (policy.effect === 'permit') return { ok: true, gates: policy.gates, notBefore: 0, policy };
  const message = `${tool} is forbidden: ${whyForbidden(policy)}`;
  return { ...refusal('permission', 'permission_denied', message), policy };
}
