import { createHash } from 'node:crypto';
import {
  getCedarLangVersion,
  preparsePolicySet,
  type Response,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs';
import { canonicalize } from '../../model/canonical.ts';
import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import type { Considered, PolicyRuling } from '../../model/policy-decision.ts';
import type { PolicyRequest } from '../../model/policy-request.ts';
import { reasonOf } from '../../model/printable.ts';
import type { Authorizer } from '../../ports/authorizer.ts';
import { cedarRequest } from './entities.ts';
import { isLargerThan } from './larger-than.ts';
import { type LatelyConsidered, latelyConsidered } from './lately-considered.ts';
import { type Looked, lookingAt } from './look.ts';
import { type LookedAt, lookedAt } from './looked-at.ts';
import { type PolicySource, shippedSchema } from './policy-files.ts';
import { type ReadPolicy, readPolicies } from './read-policies.ts';
import { type RecentRulings, recentRulings } from './recent-rulings.ts';
import { isReached, reachOf } from './relevant-policies.ts';
import { permittedActions, unpermitted } from './unpermitted.ts';

/**
 * Policies in Cedar, read and checked once. Two authorizers with the same policies have the same version, wherever the
 * files lie and however they are split.
 */
export function cedarAuthorizer(sources: readonly PolicySource[]): Authorizer {
  const schema = shippedSchema();
  const policies = readPolicies(sources, schema);
  const version = versionOf(policies, schema);
  const engineFor = engines(Array.from(policies.values()), version);
  const consider = (request: PolicyRequest): Considered => considered(engineFor, request);
  return { version, consider, decide: (request) => decide(consider, request) };
}

/** The policies that some requests can reach, made ready for them. */
interface Engine {
  readonly policies: ReadonlyMap<string, ReadPolicy>;
  readonly name: string;
  readonly seen: LookedAt;
  readonly look: (request: PolicyRequest) => Looked;
  readonly known: RecentRulings;
  /** The same, for whom and with what it was asked last: found without writing that out. */
  readonly lately: LatelyConsidered;
  /** What a tool may be for a permit to look at it. */
  readonly actions: readonly string[];
}

type EngineFor = (request: PolicyRequest) => Engine;

/** One for each set of policies that is reached together: for every profile and action there is one such set. */
function engines(policies: readonly ReadPolicy[], version: string): EngineFor {
  const reaches = policies.map((policy) => ({ policy, reach: reachOf(policy.json) }));
  const engineOf = (request: PolicyRequest): Engine => {
    const reached = reaches.filter(({ reach }) => isReached(reach, request)).map(({ policy }) => policy);
    return prepared([version, ...reached.map(({ id }) => id)].join('\n'), reached);
  };
  // By as much as `isReached` looks at: two requests alike in it reach the same policies.
  const ofCalls = new Map<string | null, Engine>();
  const ofOthers = new Map<string, Engine>();
  return (request) =>
    request.action === 'call_tool'
      ? madeOnce(ofCalls, request.context.profile, () => engineOf(request))
      : madeOnce(ofOthers, request.action, () => engineOf(request));
}

function madeOnce<Key>(made: Map<Key, Engine>, key: Key, make: () => Engine): Engine {
  const known = made.get(key);
  if (known !== undefined) return known;
  const engine = make();
  made.set(key, engine);
  return engine;
}

function prepared(name: string, policies: readonly ReadPolicy[]): Engine {
  const staticPolicies = Object.fromEntries(policies.map(({ id, text }) => [id, text]));
  const answer = preparsePolicySet(name, { staticPolicies });
  if (answer.type === 'failure')
    throw new Fault('policy_invalid', answer.errors.map(({ message }) => message).join('\n'));
  const seen = lookedAt(policies.map(({ json }) => json));
  return {
    policies: new Map(policies.map((policy) => [policy.id, policy])),
    name,
    seen,
    look: lookingAt(seen),
    known: recentRulings(),
    lately: latelyConsidered(),
    actions: permittedActions(policies),
  };
}

/** Handing over a value takes tens of microseconds: beyond this, one decision would hold up everything else. */
const VALUES_MAX = 10_000;

function decide(consider: (request: PolicyRequest) => Considered, request: PolicyRequest): PolicyRuling {
  try {
    return consider(request).ruling;
  } catch (error) {
    return failed([reasonOf(error)]);
  }
}

/**
 * The policies were checked against the schema when they were read, and the request is built here to fit it. Checking
 * every request again would change no ruling and needs all of a request, where the policies look at a part.
 */
function considered(engineFor: EngineFor, request: PolicyRequest): Considered {
  const engine = engineFor(request);
  const looked = engine.look(request);
  if (looked.action !== 'call_tool') return ruledOn(engine, request, looked, canonicalize(looked as unknown as Json));
  return engine.lately.get(looked, (text) => ruledOn(engine, request, looked, text));
}

function ruledOn(
  { policies, name, seen, known, actions }: Engine,
  request: PolicyRequest,
  looked: Looked,
  text: string,
): Considered {
  return known.get(text, () => {
    const asked = cedarRequest(looked, seen);
    // Every value takes at least one character, so that most need not be counted.
    if (text.length > VALUES_MAX && isLargerThan(asked, VALUES_MAX)) {
      return failed([
        `the policies would have to look at more than ${VALUES_MAX} values: what is that large is not permitted`,
      ]);
    }
    const answer = statefulIsAuthorized({ ...asked, preparsedPolicySetId: name, validateRequest: false });
    if (answer.type === 'failure') return failed(answer.errors.map(({ message }) => message));
    const ruled = ruling(policies, answer.response);
    return isUndecided(ruled) ? { ...ruled, reasons: unpermitted(request, actions) } : ruled;
  });
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

/** Nothing forbids it, and nothing permits it. */
const isUndecided = ({ effect, determining, errors }: PolicyRuling): boolean =>
  effect === 'forbid' && determining.length === 0 && errors.length === 0;

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
