import { createHash, hash } from 'node:crypto';
import type { Response } from '@cedar-policy/cedar-wasm/nodejs';
import { guardInput } from '../../model/fault/guard-input.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { type PolicyRuling, rulingOnText } from '../../model/policy/policy-decision.ts';
import type { PolicyRequest } from '../../model/policy/policy-request.ts';
import type { Authorizer } from '../../ports/authorizer.ts';
import { type CallRulingCache, callRulingCache } from './call-ruling-cache.ts';
import { type PreparedPolicies, preparePolicies } from './deciding-engine.ts';
import { cedarRequest } from './entities.ts';
import { findReadParts, type ReadParts, type ReadRequest, requestReader } from './read-parts.ts';
import { type PolicySource, part, type ReadPolicy, readPolicies, shippedSchema } from './read-policies.ts';
import { readWithEngine } from './reading-engine.ts';
import { isReached, reachOf } from './relevant-policies.ts';

/** An authorizer with Cedar policies, parsed and checked once. The version does not depend on the policy files. */
export const cedarAuthorizer: (sources: readonly PolicySource[]) => Authorizer = guardInput(
  'cedarAuthorizer',
  (sources: readonly PolicySource[]): Authorizer => {
    const schema = shippedSchema();
    const policies = readPolicies(sources, schema);
    const version = versionOf(policies, schema);
    const engineFor = engines(Array.from(policies.values()), version);
    return { version, decide: (request) => decide(engineFor, request) };
  },
);

/** The preparsed policies that apply to one kind of request. */
interface Engine {
  readonly policies: ReadonlyMap<string, ReadPolicy>;
  readonly prepared: PreparedPolicies;
  readonly seen: ReadParts;
  readonly look: (request: PolicyRequest) => ReadRequest;
  readonly known: RecentRulings;
  /** The last ruling per principal and tool. A hit needs no canonical text. */
  readonly lately: CallRulingCache;
  /** The tool actions that the permits name. */
  readonly actions: readonly string[];
}

type EngineFor = (request: PolicyRequest) => Engine;

/** Keeps one engine per set of relevant policies, that is, per profile and action. */
function engines(policies: readonly ReadPolicy[], version: string): EngineFor {
  const reaches = policies.map((policy) => ({ policy, reach: reachOf(policy.json) }));
  const engineOf = (request: PolicyRequest): Engine => {
    const reached = reaches.filter(({ reach }) => isReached(reach, request)).map(({ policy }) => policy);
    return prepareEngine([version, ...reached.map(({ id }) => id)].join('\n'), reached);
  };
  // The keys are exactly what `isReached` reads.
  const ofCalls = new Map<string | null, Engine>();
  const ofOthers = new Map<string, Engine>();
  return (request) =>
    request.action === 'call_tool'
      ? getOrMake(ofCalls, request.context.profile, () => engineOf(request))
      : getOrMake(ofOthers, request.action, () => engineOf(request));
}

function getOrMake<Key>(made: Map<Key, Engine>, key: Key, make: () => Engine): Engine {
  const known = made.get(key);
  if (known !== undefined) return known;
  const engine = make();
  made.set(key, engine);
  return engine;
}

function prepareEngine(name: string, policies: readonly ReadPolicy[]): Engine {
  const seen = findReadParts(policies.map(({ json }) => json));
  return {
    policies: new Map(policies.map((policy) => [policy.id, policy])),
    prepared: preparePolicies(name, Object.fromEntries(policies.map(({ id, text }) => [id, text]))),
    seen,
    look: requestReader(seen),
    known: rulingCache(),
    lately: callRulingCache(),
    actions: permittedActions(policies),
  };
}

/** Passing a value to the engine takes tens of microseconds; more values than this would block the process. */
const VALUES_MAX = 10_000;

function decide(engineFor: EngineFor, request: PolicyRequest): PolicyRuling {
  try {
    return askEngine(engineFor, request);
  } catch (error) {
    return errorRuling([reasonOf(error)]);
  }
}

/**
 * Skips validation of the request: the policies were validated when they were read, and the request is built to match
 * the schema. Validation would change no ruling but needs the full request, while the policies read only a part.
 */
function askEngine(engineFor: EngineFor, request: PolicyRequest): PolicyRuling {
  const engine = engineFor(request);
  const looked = engine.look(request);
  if (looked.action !== 'call_tool')
    return ruleOnText(engine, request, looked, canonicalize(looked as unknown as Json));
  return engine.lately.get(looked, (text) => ruleOnText(engine, request, looked, text));
}

function ruleOnText(
  { policies, prepared, seen, known, actions }: Engine,
  request: PolicyRequest,
  looked: ReadRequest,
  text: string,
): PolicyRuling {
  return known.get(text, () => {
    const asked = cedarRequest(looked, seen);
    // Every value takes at least one character, so a short text need not be counted.
    if (text.length > VALUES_MAX && isLargerThan(asked, VALUES_MAX)) {
      return errorRuling([
        `the policies would have to look at more than ${VALUES_MAX} values: what is that large is not permitted`,
      ]);
    }
    const answer = prepared.ask({ ...asked, validateRequest: false });
    if (answer.type === 'failure') return errorRuling(answer.errors.map(({ message }) => message));
    const ruled = toRuling(policies, answer.response);
    return isUndecided(ruled) ? { ...ruled, reasons: explainMissingPermit(request, actions) } : ruled;
  });
}

/** Cedar skips a policy that fails. Here an error forbids, because the failed policy might have been a forbid. */
function toRuling(policies: ReadonlyMap<string, ReadPolicy>, { decision, diagnostics }: Response): PolicyRuling {
  const errors = diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${error.message}`).sort();
  if (errors.length > 0) return errorRuling(errors);
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

/** No policy forbids the request, and none permits it. */
const isUndecided = ({ effect, determining, errors }: PolicyRuling): boolean =>
  effect === 'forbid' && determining.length === 0 && errors.length === 0;

const errorRuling = (errors: readonly string[]): PolicyRuling => ({
  effect: 'forbid',
  determining: [],
  reasons: [],
  gates: [],
  errors,
});

function versionOf(policies: ReadonlyMap<string, ReadPolicy>, schema: string): string {
  const texts = Object.fromEntries(Array.from(policies, ([id, { text }]) => [id, text]));
  const content = canonicalize({
    language: readWithEngine((engine) => engine.getCedarLangVersion()),
    schema,
    policies: texts,
  });
  return `cedar:${createHash('sha256').update(content).digest('hex')}`;
}

/** Whether a plain value contains more than `max` values. Stops counting there. */
function isLargerThan(value: unknown, max: number): boolean {
  const waiting: unknown[] = [value];
  for (let counted = 0; waiting.length > 0; counted += 1) {
    if (counted + waiting.length > max) return true;
    const next = waiting.pop();
    if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) waiting.push(child);
  }
  return false;
}

/** Explains to the tool's author why no policy permits a call. Empty if the policies name no actions. */
function explainMissingPermit(request: PolicyRequest, actions: readonly string[]): readonly string[] {
  if (request.action !== 'call_tool' || actions.length === 0) return [];
  const { name, action } = request.resource;
  const allowed = `the policies know ${actions.join(', ')}`;
  if (action === null) return [`${name} does not say in rules.action what it does: ${allowed}`];
  return actions.includes(action) ? [] : [`${action}, which is rules.action of ${name}, is in no permit: ${allowed}`];
}

/** The actions that permits name: `[…].contains(resource.action)` and `resource.action == "…"`. */
function permittedActions(policies: readonly ReadPolicy[]): readonly string[] {
  const permits = policies.filter(({ effect }) => effect === 'permit');
  return [...new Set(permits.flatMap(({ json }) => actionsIn(json.conditions)))].sort();
}

function actionsIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([operator, operands]) => {
    if (operator === 'contains' && isAction(part(operands, 'right'))) return texts(part(operands, 'left'));
    if (operator === '==' && isAction(part(operands, 'left'))) return texts(part(operands, 'right'));
    return actionsIn(operands);
  });
}

function isAction(node: unknown): boolean {
  const access = part(node, '.');
  return part(access, 'attr') === 'action' && part(part(access, 'left'), 'Var') === 'resource';
}

function texts(node: unknown): readonly string[] {
  const set = part(node, 'Set');
  return (Array.isArray(set) ? set : [node])
    .map((item: unknown) => part(item, 'Value'))
    .filter((value) => typeof value === 'string');
}

/** A cache of rulings by the text of everything that was read. Equal texts have equal rulings. */
interface RecentRulings {
  get(text: string, rule: () => PolicyRuling): PolicyRuling;
}

/** The minimum number of cached rulings; the maximum is twice as many. */
const KEPT_MAX = 500;

/** A longer text is replaced by its hash, to limit the size of the cache. */
const SHORT = 4_000;

/** Has two generations: a ruling that is not used while the newer one fills is dropped with the older one. */
export function rulingCache(): RecentRulings {
  let newer = new Map<string, PolicyRuling>();
  let older = new Map<string, PolicyRuling>();

  const keep = (key: string, ruling: PolicyRuling): void => {
    newer.set(key, ruling);
    if (newer.size < KEPT_MAX) return;
    older = newer;
    newer = new Map();
  };

  return {
    get: (text, rule) => {
      const short = text.length <= SHORT ? text : JSON.stringify(hash('sha256', text, 'hex'));
      const recent = newer.get(short);
      if (recent !== undefined) return recent;
      const ruling = older.get(short) ?? rulingOnText(short, rule());
      // Errors are not cached, because a retry may succeed.
      if (ruling.errors.length === 0) keep(short, ruling);
      return ruling;
    },
  };
}
