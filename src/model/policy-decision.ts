import { z } from 'zod';
import { canonicalize } from './canonical.ts';
import { ContentAddress } from './content-address.ts';
import { deepFreeze } from './freeze.ts';
import { type Address, addressOfText, type Hash } from './hash.ts';
import type { Json } from './json.ts';
import { Name } from './name.ts';
import { parse } from './parse.ts';
import type { PolicyRequest } from './policy-request.ts';
import { reasonOf } from './printable.ts';

/** What an engine says about one request. */
export interface PolicyRuling {
  readonly effect: 'permit' | 'forbid';
  /** The policies that decided it; none where nothing permits it. */
  readonly determining: readonly string[];
  /** Why, in the words of those policies; where there are none, what a permit would have had to find. */
  readonly reasons: readonly string[];
  /** Where people have to be asked first. */
  readonly gates: readonly string[];
  /** What went wrong in the engine. Whatever it is, it forbids. */
  readonly errors: readonly string[];
}
const RULING_FIELDS = {
  effect: z.enum(['permit', 'forbid']),
  determining: z.array(Name),
  reasons: z.array(z.string()),
  gates: z.array(Name),
  errors: z.array(z.string()),
};
const PolicyRuling: z.ZodType<PolicyRuling> = z.strictObject(RULING_FIELDS);

/** What a candidate would have said instead. It is on record and has decided nothing. */
export interface ShadowRuling extends PolicyRuling {
  readonly version: string;
}
const ShadowRuling: z.ZodType<ShadowRuling> = z.strictObject({ ...RULING_FIELDS, version: Name });

/** A ruling as it is recorded: by which policies, over exactly which request. */
export interface PolicyDecision extends PolicyRuling {
  readonly version: string;
  /** The content address of what the policies looked at; of the whole request, where the engine does not tell. */
  readonly context_hash: Address;
  /** Present only where a candidate disagreed. */
  readonly shadow?: ShadowRuling;
}
export const PolicyDecision: z.ZodType<PolicyDecision> = z.strictObject({
  ...RULING_FIELDS,
  version: Name,
  context_hash: ContentAddress,
  shadow: ShadowRuling.exactOptional(),
});

/** The call was decided about as its step was when the plan was verified: the policies looked at the same. */
export const AS_PLANNED = 'as_planned';
export type AsPlanned = typeof AS_PLANNED;

/** What was decided about one step of a plan. */
export interface StepDecision {
  readonly step_id: string;
  readonly decision: PolicyDecision;
}
export const StepDecision: z.ZodType<StepDecision> = z.strictObject({ step_id: Name, decision: PolicyDecision });

/** A step about which it was decided as about an earlier one of the same plan: the policies looked at the same. */
export interface SameDecision {
  readonly step_id: string;
  readonly as: string;
}
export const SameDecision: z.ZodType<SameDecision> = z.strictObject({ step_id: Name, as: Name });

/** What was decided about the steps of a plan, each decision once. */
export function eachOnce(decisions: readonly StepDecision[]): readonly (StepDecision | SameDecision)[] {
  const first = new Map<string, string>();
  return decisions.map((one) => {
    const { step_id, decision } = one;
    const as = first.get(decision.context_hash);
    if (as !== undefined) return { step_id, as };
    // What went wrong once may have gone right the next time.
    if (decision.errors.length === 0) first.set(decision.context_hash, step_id);
    return one;
  });
}

/** The decision about each step, however it is told. */
export function decisionsAbout(told: readonly (StepDecision | SameDecision)[]): ReadonlyMap<string, PolicyDecision> {
  const decisions = new Map<string, PolicyDecision>();
  for (const one of told) {
    const decision: PolicyDecision | undefined = 'decision' in one ? one.decision : decisions.get(one.as);
    // As about a step that nobody decided about is not decided: then it is asked when its turn comes.
    if (decision !== undefined) decisions.set(one.step_id, decision);
  }
  return decisions;
}

/** Who decides. Asking twice is the same as asking once, so that a decision can be derived again. */
export interface PolicyJudge {
  readonly version: string;
  decide(request: PolicyRequest): PolicyRuling;
  /** Left out by an engine that may look at all of a request. */
  consider?(request: PolicyRequest): Considered;
}

/** A ruling and, as one JSON text, all that it could depend on: requests with the same text have the same ruling. */
export interface Considered {
  readonly text: string;
  readonly ruling: PolicyRuling;
}

/**
 * Asks about a call and every call behind it, unless the same policies have answered the very same question. An engine
 * that throws, answers nonsense or reports an error has not permitted anything.
 */
export function policyDecision(
  judge: PolicyJudge,
  requests: readonly PolicyRequest[],
  hash: Hash,
  recorded?: PolicyDecision,
): PolicyDecision {
  const considered = considering(judge, requests);
  if (considered !== null) {
    const decision = decisionOn(judge, considered, hash);
    return recorded !== undefined && isSame(recorded, decision) ? recorded : decision;
  }
  const { version } = judge;
  const context_hash = addressOfText(hash, canonicalRequests(requests));
  if (recorded?.version === version && recorded.context_hash === context_hash) return recorded;
  return { ...ruleOn(judge, requests), version, context_hash };
}

const isSame = (a: PolicyDecision, b: PolicyDecision): boolean =>
  a.version === b.version && a.context_hash === b.context_hash;

/** Null where the engine does not tell what it looks at, or fails: then it is asked about the whole requests. */
function considering(judge: PolicyJudge, requests: readonly PolicyRequest[]): readonly Considered[] | null {
  if (judge.consider === undefined) return null;
  try {
    const considered: Considered[] = [];
    for (const request of requests) {
      const said: unknown = judge.consider(request);
      if (!isConsidered(said)) return null;
      considered.push(said);
    }
    return considered;
  } catch {
    return null;
  }
}

/** What is no answer tells nothing of what was looked at: two requests must never share a text that is none. */
const isConsidered = (given: unknown): given is Considered =>
  typeof given === 'object' && given !== null && 'text' in given && typeof given.text === 'string';

interface Made {
  readonly version: string;
  readonly hash: Hash;
  readonly decision: PolicyDecision;
}

/** An engine that remembers gives the same frozen answer to what it has looked at before, and then it is decided. */
const MADE = new WeakMap<Considered, Made>();

function decisionOn({ version }: PolicyJudge, considered: readonly Considered[], hash: Hash): PolicyDecision {
  const only = considered.length === 1 ? considered[0] : undefined;
  if (only === undefined) return decided(version, considered, hash);
  const made = MADE.get(only);
  if (made?.version === version && made.hash === hash) return made.decision;
  if (!Object.isFrozen(only)) return decided(version, considered, hash);
  const decision = deepFreeze(decided(version, considered, hash));
  MADE.set(only, { version, hash, decision });
  return decision;
}

function decided(version: string, considered: readonly Considered[], hash: Hash): PolicyDecision {
  const context_hash = addressOfText(hash, `[${considered.map(({ text }) => text).join(',')}]`);
  return { ...together(considered.map(({ ruling }) => held(() => ruling))), version, context_hash };
}

/** The same judge, asked about whole requests: runs that were begun before engines told what they look at go on so. */
export function askedWhole(judge: PolicyJudge): PolicyJudge {
  return { version: judge.version, decide: (request) => judge.decide(request) };
}

/** The canonical text of frozen parts that come again with every request: who acts, and with what. */
const TEXTS = new WeakMap<object, string>();

/** The canonical form of the requests, which has its names in this order. */
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

/** The same decision, with what a candidate would have said where that is something else. */
export function withShadow(
  decision: PolicyDecision,
  candidate: PolicyJudge,
  requests: readonly PolicyRequest[],
): PolicyDecision {
  const ruling = ruleOn(candidate, requests);
  if (!sameEffect(decision, ruling)) return { ...decision, shadow: { ...ruling, version: candidate.version } };
  // The very decision, so that one that was made with the plan is not told again because somebody agrees with it.
  return decision.shadow === undefined ? decision : withoutShadow(decision);
}

/** A decision as far as it decided anything. */
export function withoutShadow({ shadow: _, ...decision }: PolicyDecision): PolicyDecision {
  return decision;
}

/** A request on which two sets of policies rule otherwise. */
export interface PolicyDifference {
  readonly request: PolicyRequest;
  readonly active: PolicyRuling;
  readonly candidate: PolicyRuling;
}

/** Null where both let the same through. */
export function policyDifference(
  active: PolicyJudge,
  candidate: PolicyJudge,
  request: PolicyRequest,
): PolicyDifference | null {
  const [ruled, other] = [rulingOf(active, request), rulingOf(candidate, request)];
  return sameEffect(ruled, other) ? null : { request, active: ruled, candidate: other };
}

/** Whether two rulings let the same through, past the same people. */
function sameEffect(a: PolicyRuling, b: PolicyRuling): boolean {
  return a.effect === b.effect && a.gates.toSorted().join('\n') === b.gates.toSorted().join('\n');
}

function ruleOn(judge: PolicyJudge, requests: readonly PolicyRequest[]): PolicyRuling {
  return together(requests.map((request) => rulingOf(judge, request)));
}

/** One forbid is enough. Otherwise every gate counts that any of the calls has to pass. */
function together(rulings: readonly PolicyRuling[]): PolicyRuling {
  const forbidden = rulings.find(({ effect }) => effect === 'forbid');
  if (forbidden !== undefined) return forbidden;
  const [only, ...more] = rulings;
  if (only === undefined) return failed('there is nothing to decide about');
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

const rulingOf = (judge: PolicyJudge, request: PolicyRequest): PolicyRuling => held(() => judge.decide(request));

function held(rule: () => PolicyRuling): PolicyRuling {
  try {
    const ruling = heldRuling(rule());
    return ruling.errors.length === 0 ? ruling : { ...ruling, effect: 'forbid', gates: [] };
  } catch (error) {
    return failed(reasonOf(error));
  }
}

/** An engine that remembers its rulings gives the same frozen one again and again, and it is what it was. */
const HELD = new WeakMap<object, PolicyRuling>();

function heldRuling(given: PolicyRuling): PolicyRuling {
  const known = HELD.get(given);
  if (known !== undefined) return known;
  const ruling = parse(PolicyRuling, given, 'internal');
  const parts = [given, given.determining, given.reasons, given.gates, given.errors];
  if (parts.every((part) => Object.isFrozen(part))) HELD.set(given, ruling);
  return ruling;
}

const failed = (why: string): PolicyRuling => ({
  effect: 'forbid',
  determining: [],
  reasons: [],
  gates: [],
  errors: [`the policy engine failed: ${why}`],
});

/** A refusal in one line, for whoever has to act on it. */
export function whyForbidden({ determining, reasons, errors }: PolicyRuling): string {
  if (errors.length > 0) return errors.join('; ');
  if (determining.length === 0) return ['no policy permits it', ...reasons].join(': ');
  return reasons.length > 0 ? reasons.join('; ') : `forbidden by ${determining.join(', ')}`;
}
