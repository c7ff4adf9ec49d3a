import { createHash } from 'node:crypto';
import {
  getCedarLangVersion,
  preparsePolicySet,
  preparseSchema,
  type Response,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs';
import { canonicalize } from '../../model/canonical.ts';
import { Fault } from '../../model/fault.ts';
import type { PolicyRuling } from '../../model/policy-decision.ts';
import type { PolicyRequest } from '../../model/policy-request.ts';
import type { Authorizer } from '../../ports/authorizer.ts';
import { cedarRequest } from './entities.ts';
import { type PolicySource, shippedSchema } from './policy-files.ts';
import { type ReadPolicy, readPolicies } from './read-policies.ts';

/**
 * Policies in Cedar, read and checked once. Two authorizers with the same policies have the same version, wherever the
 * files lie and however they are split.
 */
export function cedarAuthorizer(sources: readonly PolicySource[]): Authorizer {
  const schema = shippedSchema();
  const policies = readPolicies(sources, schema);
  const version = versionOf(policies, schema);
  const staticPolicies = Object.fromEntries(Array.from(policies, ([id, { text }]) => [id, text]));
  for (const answer of [preparseSchema(version, schema), preparsePolicySet(version, { staticPolicies })]) {
    if (answer.type === 'failure')
      throw new Fault('policy_invalid', answer.errors.map(({ message }) => message).join('\n'));
  }
  return { version, decide: (request) => decide(policies, version, request) };
}

function decide(policies: ReadonlyMap<string, ReadPolicy>, version: string, request: PolicyRequest): PolicyRuling {
  const answer = statefulIsAuthorized({
    ...cedarRequest(request),
    preparsedSchemaName: version,
    preparsedPolicySetId: version,
    validateRequest: true,
  });
  if (answer.type === 'failure') return failed(answer.errors.map(({ message }) => message));
  return ruling(policies, answer.response);
}

/** Cedar leaves out a policy that fails; here a forbid that could not be asked has not been passed. */
function ruling(policies: ReadonlyMap<string, ReadPolicy>, { decision, diagnostics }: Response): PolicyRuling {
  const errors = diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${error.message}`).sort();
  if (errors.length > 0) return failed(errors);
  const determining = [...diagnostics.reason].sort();
  const found = determining.flatMap((id) => policies.get(id) ?? []);
  return {
    effect: decision === 'allow' ? 'permit' : 'forbid',
    determining,
    reasons: found.flatMap(({ reason }) => reason ?? []),
    gates: [...new Set(found.flatMap(({ gates }) => gates))].sort(),
    errors,
  };
}

const failed = (errors: readonly string[]): PolicyRuling => ({
  effect: 'forbid',
  determining: [],
  reasons: [],
  gates: [],
  errors,
});

function versionOf(policies: ReadonlyMap<string, ReadPolicy>, schema: string): string {
  const texts = Object.fromEntries(Array.from(policies, ([id, { text }]) => [id, text]));
  const content = canonicalize({ language: getCedarLangVersion(), schema, policies: texts });
  return `cedar:${createHash('sha256').update(content).digest('hex')}`;
}
