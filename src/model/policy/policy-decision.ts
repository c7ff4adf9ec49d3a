import { z } from 'zod';
import { canonicalize } from '../json/canonical.ts';
import { exactObject } from '../json/exact.ts';
import { deepFreeze } from '../json/freeze.ts';
import { type Address, addressOfText, ContentAddress, type Hash } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';
import { parse } from '../json/parse.ts';
import { reasonOf } from '../json/printable.ts';
import type { Plan } from '../plan/plan.ts';
import type { PolicyRequest } from './policy-request.ts';

/** The ruling of a policy engine on one request. */
export interface PolicyRuling {
  readonly effect: 'permit' | 'forbid';
  /** The policies that decided; empty if no policy permits the request. */
  readonly determining: readonly string[];
  /** The reasons of the determining policies; without any, the conditions that a permit would have required. */
  readonly reasons: readonly string[];
  /** Gates at which a person has to approve first. */
  readonly gates: readonly string[];
  /** Errors of the engine. Any error forbids the request. */
  readonly errors: readonly string[];
}
const RULING_FIELDS = {
  effect: z.enum(['permit', 'forbid']),
  determining: z.array(Name),
  reasons: z.array(z.string()),
  gates: z.array(Name),
  errors: z.array(z.string()),
};
const PolicyRuling: z.ZodType<PolicyRuling> = exactObject(RULING_FIELDS);

/** The differing ruling of a candidate policy set. It is recorded and has no effect. */
export interface ShadowRuling extends PolicyRuling {
  readonly version: string;
}
const ShadowRuling: z.ZodType<ShadowRuling> = exactObject({ ...RULING_FIELDS, version: Name });

/** A ruling as recorded, with the version of the policies and the hash of the request. */
export interface PolicyDecision extends PolicyRuling {
  readonly version: string;
  /** Address of the data the policies considered; of the full request if the engine does not report that. */
  readonly context_hash: Address;
  /** Present only if a candidate disagreed. */
  readonly shadow?: ShadowRuling;
}
export const PolicyDecision: z.ZodType<PolicyDecision> = exactObject({
  ...RULING_FIELDS,
  version: Name,
  context_hash: ContentAddress,
  shadow: ShadowRuling.exactOptional(),
});

/** Marks a call with the same decision as its step at plan verification: the policies saw the same data. */
export const AS_PLANNED = 'as_planned';
export type AsPlanned = typeof AS_PLANNED;

/** The decision on one step of a plan. */
export interface StepDecision {
  readonly step_id: string;
  readonly decision: PolicyDecision;
}
export const StepDecision: z.ZodType<StepDecision> = exactObject({ step_id: Name, decision: PolicyDecision });

/** A step with the same decision as an earlier step of the plan, because the policies considered the same data. */
export interface SameDecision {
  readonly step_id: string;
  readonly as: string;
}
export const SameDecision: z.ZodType<SameDecision> = exactObject({ step_id: Name, as: Name });

/** Replaces repeated decisions of a plan by references to the first step with the same decision. */
export function dedupeDecisions(decisions: readonly StepDecision[]): readonly (StepDecision | SameDecision)[] {
  const first = new Map<string, string>();
  return decisions.map((one) => {
    const { step_id, decision } = one;
    const as = first.get(decision.context_hash);
    if (as !== undefined) return { step_id, as };
    // A decision with errors is not reused, because the error may not recur.
    if (decision.errors.length === 0) first.set(decision.context_hash, step_id);
    return one;
  });
}

/** Returns the decision on each step, with references resolved. */
export function resolveDecisions(list: readonly (StepDecision | SameDecision)[]): ReadonlyMap<string, PolicyDecision> {
  const decisions = new Map<string, PolicyDecision>();
  for (const one of list) {
    const decision: PolicyDecision | undefined = 'decision' in one ? one.decision : decisions.get(one.as);
    // A reference to a step without a decision is dropped; the step is then decided at dispatch.
    if (decision !== undefined) decisions.set(one.step_id, decision);
  }
  return decisions;
}

/** A policy engine. It must be deterministic, so that a decision can be derived again. */
export interface PolicyJudge {
  readonly version: string;
  decide(request: PolicyRequest): PolicyRuling;
}

/**
 * The considered texts of rulings by object, so that a changed copy has none: an engine that wraps another one and
 * returns a ruling of its own depends on the full request.
 */
const CONSIDERED = new WeakMap<PolicyRuling, string>();

/**
 * Returns a frozen ruling that depends on nothing but `text`, the JSON of all data that the engine considered. Requests
 * with the same text have the same ruling.
 */
export function rulingOnText(text: string, ruling: PolicyRuling): PolicyRuling {
  const frozen = deepFreeze({ ...ruling });
  CONSIDERED.set(frozen, text);
  return frozen;
}

/** Returns undefined if the ruling may depend on any part of its request. */
export const consideredText = (ruling: PolicyRuling): string | undefined => CONSIDERED.get(ruling);

/**
 * Decides on a call and its inner calls. A recorded decision is reused if the policies and the request are the same. An
 * engine that throws, returns an invalid ruling or reports an error forbids the call.
 */
export function policyDecision(
  judge: PolicyJudge,
  requests: readonly PolicyRequest[],
  hash: Hash,
  recorded?: PolicyDecision,
): PolicyDecision {
  const rulings = requests.map((request) => rulingOf(judge, request));
  const decision = decisionOn(judge, rulings, requests, hash);
  return recorded !== undefined && isSame(recorded, decision) ? recorded : decision;
}

const isSame = (a: PolicyDecision, b: PolicyDecision): boolean =>
  a.version === b.version && a.context_hash === b.context_hash && sameEffect(a, b);

interface CachedDecision {
  readonly version: string;
  readonly hash: Hash;
  readonly decision: PolicyDecision;
}

/** Decisions by ruling, for engines that return the same ruling object for the same data. */
const DECISIONS = new WeakMap<PolicyRuling, CachedDecision>();

function decisionOn(
  { version }: PolicyJudge,
  rulings: readonly PolicyRuling[],
  requests: readonly PolicyRequest[],
  hash: Hash,
): PolicyDecision {
  const texts = rulings.flatMap((ruling) => consideredText(ruling) ?? []);
  if (texts.length === 0 || texts.length < rulings.length)
    return makeDecision(version, rulings, addressOfText(hash, canonicalRequests(requests)));
  const context = (): Address => addressOfText(hash, `[${texts.join(',')}]`);
  const [only, ...more] = rulings;
  if (only === undefined || more.length > 0) return makeDecision(version, rulings, context());
  const made = DECISIONS.get(only);
  if (made?.version === version && made.hash === hash) return made.decision;
  const decision = deepFreeze(makeDecision(version, rulings, context()));
  DECISIONS.set(only, { version, hash, decision });
  return decision;
}

const makeDecision = (version: string, rulings: readonly PolicyRuling[], context_hash: Address): PolicyDecision => ({
  ...combineRulings(rulings),
  version,
  context_hash,
});

/** Wraps a judge so that it decides on full requests. Runs from before rulings named their data continue to do so. */
export function withFullRequests(judge: PolicyJudge): PolicyJudge {
  return { version: judge.version, decide: (request) => ({ ...judge.decide(request) }) };
}

/** Canonical texts of frozen principals and resources, which recur in every request. */
const TEXTS = new WeakMap<object, string>();

/** Returns the canonical JSON of the requests. The keys must stay in this order. */
function canonicalRequests(requests: readonly PolicyRequest[]): string {
  const texts = requests.map(({ action, context, principal, resource }) => {
    const parts = [canonicalize(context as unknown as Json), textOf(principal), textOf(resource)] as const;
    return `{"action":${canonicalize(action)},"context":${parts[0]},"principal":${parts[1]},"resource":${parts[2]}}`;
  });
  return `[${texts.join(',')}]`;
}

function textOf(part: PolicyRequest['principal'] | PolicyRequest['resource']): string {
  const known = TEXTS.get(part);
  if (known !== undefined) return known;
  const text = canonicalize(part as unknown as Json);
  if (Object.isFrozen(part)) TEXTS.set(part, text);
  return text;
}

/** Adds the ruling of a candidate if it differs from the decision. */
export function withShadow(
  decision: PolicyDecision,
  candidate: PolicyJudge,
  requests: readonly PolicyRequest[],
): PolicyDecision {
  const ruling = ruleOn(candidate, requests);
  if (!sameEffect(decision, ruling)) return { ...decision, shadow: { ...ruling, version: candidate.version } };
  // Returns the same object, so that a decision made with the plan is not recorded again because a candidate agrees.
  return decision.shadow === undefined ? decision : withoutShadow(decision);
}

/** Removes the candidate's ruling. */
export function withoutShadow({ shadow: _, ...decision }: PolicyDecision): PolicyDecision {
  return decision;
}

/** A request on which two policy sets rule differently. */
export interface PolicyDifference {
  readonly request: PolicyRequest;
  readonly active: PolicyRuling;
  readonly candidate: PolicyRuling;
}

/** Returns null if both rulings have the same effect and gates. */
export function policyDifference(
  active: PolicyJudge,
  candidate: PolicyJudge,
  request: PolicyRequest,
): PolicyDifference | null {
  const [ruled, other] = [rulingOf(active, request), rulingOf(candidate, request)];
  return sameEffect(ruled, other) ? null : { request, active: ruled, candidate: other };
}

/** True if two rulings have the same effect and the same gates. */
function sameEffect(a: PolicyRuling, b: PolicyRuling): boolean {
  return a.effect === b.effect && a.gates.toSorted().join('\n') === b.gates.toSorted().join('\n');
}

function ruleOn(judge: PolicyJudge, requests: readonly PolicyRequest[]): PolicyRuling {
  return combineRulings(requests.map((request) => rulingOf(judge, request)));
}

/**
 * Combines the rulings on a call and its inner calls: the first forbid wins; otherwise the gates of all rulings apply.
 */
function combineRulings(rulings: readonly PolicyRuling[]): PolicyRuling {
  const forbidden = rulings.find(({ effect }) => effect === 'forbid');
  if (forbidden !== undefined) return forbidden;
  const [only, ...more] = rulings;
  if (only === undefined) return failedRuling('there is nothing to decide about');
  if (more.length === 0) return only;
  const all = (list: (ruling: PolicyRuling) => readonly string[]): readonly string[] => [
    ...new Set(rulings.flatMap(list)),
  ];
  return {
    effect: 'permit',
    determining: all(({ determining }) => determining),
    reasons: all(({ reasons }) => reasons),
    gates: all(({ gates }) => gates),
    errors: [],
  };
}

function rulingOf(judge: PolicyJudge, request: PolicyRequest): PolicyRuling {
  try {
    return parseRuling(judge.decide(request));
  } catch (error) {
    return failedRuling(reasonOf(error));
  }
}

/** Parsed rulings by frozen ruling object, for engines that return the same object repeatedly. */
const PARSED_RULINGS = new WeakMap<object, PolicyRuling>();

/** Keeps the considered text of a ruling. An error forbids, whatever the effect says. */
function parseRuling(answer: PolicyRuling): PolicyRuling {
  const known = PARSED_RULINGS.get(answer);
  if (known !== undefined) return known;
  const parsed = parse(PolicyRuling, answer, 'internal');
  const safe: PolicyRuling = parsed.errors.length === 0 ? parsed : { ...parsed, effect: 'forbid', gates: [] };
  const text = consideredText(answer);
  const ruling = text === undefined ? safe : rulingOnText(text, safe);
  const parts = [answer, answer.determining, answer.reasons, answer.gates, answer.errors];
  if (parts.every((part) => Object.isFrozen(part))) PARSED_RULINGS.set(answer, ruling);
  return ruling;
}

const failedRuling = (why: string): PolicyRuling => ({
  effect: 'forbid',
  determining: [],
  reasons: [],
  gates: [],
  errors: [`the policy engine failed: ${why}`],
});

/** Explains a forbid in one line. */
export function whyForbidden({ determining, reasons, errors }: PolicyRuling): string {
  if (errors.length > 0) return errors.join('; ');
  if (determining.length === 0) return ['no policy permits it', ...reasons].join(': ');
  return reasons.length > 0 ? reasons.join('; ') : `forbidden by ${determining.join(', ')}`;
}

/** Policies over complete plans. The engine is passed as a value, so that verification stays a pure function. */
export interface PolicyEngine {
  readonly version: string;
  /** Returns the invariants that this plan breaks. */
  invariants(plan: Plan): readonly BrokenInvariant[];
  /** Policies about single calls. */
  readonly calls?: PolicyJudge;
  /** True for runs that recorded each decision of a plan in full, and hashed full requests. */
  readonly fullRequests?: true;
  /** Candidate policies: evaluated with the others at dispatch and recorded, never enforced. */
  readonly candidate?: PolicyJudge;
}

export interface BrokenInvariant {
  readonly invariant: string;
  readonly message: string;
}
