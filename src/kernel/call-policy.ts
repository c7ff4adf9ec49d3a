import { type RealCall, realCalls } from '../model/inner-call.ts';
import type { JsonObject } from '../model/json.ts';
import { isJsonList, isJsonObject, type Json } from '../model/json.ts';
import { type CallOrigin, CLEAN } from '../model/origin.ts';
import type { PlanStep } from '../model/plan.ts';
import { type PolicyDecision, policyDecision, withShadow } from '../model/policy-decision.ts';
import type { CallCircumstances, CallRequest, PolicyPrincipal, PolicyTool } from '../model/policy-request.ts';
import type { ToolSpec } from '../model/tool.ts';
import { type Amounts, remaining } from './budget-view.ts';
import { elapsedMs } from './checkpointing.ts';
import { isObserved } from './committed.ts';
import { committedUnder } from './committed-under.ts';
import type { KernelEnv } from './env.ts';
import { grantsInForce } from './grants.ts';
import { knownArguments } from './known-arguments.ts';
import { principalOf } from './policy-principal.ts';
import { impossible } from './reaction.ts';
import { stepAtHand } from './rollback/step-at-hand.ts';
import type { RunState } from './state.ts';
import { effectiveMode } from './verify/effective-mode.ts';

/** Decides about the steps of a plan as far as they are known; null where nobody has written a rule about calls. */
export function stepPolicy(
  env: KernelEnv,
  state: RunState,
): ((step: PlanStep, spec: ToolSpec, expected: readonly string[]) => PolicyDecision) | null {
  const { calls } = env.policy;
  if (calls === undefined) return null;
  const run = aboutRun(env, state);
  return (step, spec, expected) => {
    const { args, pending, untrusted } = knownArguments(env, state, step);
    const moment = { pending, untrusted, expected, tainted: state.planning.tainted, approvals: NONE };
    return policyDecision(calls, requestsFor(env, run, moment, { step, spec, args }), env.hash);
  };
}

/** Decides about the call at hand, which is known whole; null where nobody has written a rule about calls. */
export function callPolicy(env: KernelEnv, state: RunState): (() => PolicyDecision) | null {
  const { calls, candidate } = env.policy;
  if (calls === undefined) return null;
  return () => {
    const requests = requestsAtHand(env, state);
    const recorded = state.planning.decisions.get(state.current?.stepId ?? '');
    const decision = policyDecision(calls, requests, env.hash, recorded);
    return candidate === undefined ? decision : withShadow(decision, candidate, requests);
  };
}

interface AskedProbe {
  readonly stepId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly origin: CallOrigin;
}

/** Decides about asking a probe. No plan asks for it and nobody has approved it, so nothing was decided before. */
export function probePolicy(
  env: KernelEnv,
  state: RunState,
  { stepId, tool, args, origin }: AskedProbe,
): (() => PolicyDecision) | null {
  const { calls, candidate } = env.policy;
  if (calls === undefined) return null;
  return () => {
    const spec = env.tools.get(tool);
    if (spec === undefined) throw impossible(`there is no tool ${tool}`, state);
    const asked = { step: { id: stepId, tool }, spec, args };
    const requests = requestsFor(env, aboutRun(env, state), atDispatch(origin, NONE), asked);
    const decision = policyDecision(calls, requests, env.hash);
    return candidate === undefined ? decision : withShadow(decision, candidate, requests);
  };
}

const NONE: readonly string[] = Object.freeze([]);

function requestsAtHand(env: KernelEnv, state: RunState): readonly CallRequest[] {
  const { current } = state;
  const planned = stepAtHand(state);
  const spec = current === null ? undefined : env.tools.get(current.tool);
  if (current === null || planned === undefined || spec === undefined)
    throw impossible('no call to decide about', state);
  // Where another tool stands in for the planned one, it is the one that is decided about.
  const step = planned.tool === current.tool ? planned : { ...planned, tool: current.tool };
  // Nobody has said yes to anything in most runs.
  const approvals = state.people.grants.length === 0 ? NONE : grantsInForce(env, state).map(({ gate }) => gate);
  const asked = { step, spec, args: current.args };
  return requestsFor(env, aboutRun(env, state), atDispatch(current.origin, approvals), asked);
}

/** What depends on when a call is asked about: what is still to come by then, and who has said what. */
interface Moment extends Pick<CallCircumstances, 'pending' | 'untrusted' | 'expected' | 'approvals'> {
  readonly tainted: boolean;
}

/** Nothing is still to come when a call is about to be sent. */
function atDispatch({ untrusted, tainted }: CallOrigin, approvals: readonly string[]): Moment {
  const pointers = untrusted === CLEAN.untrusted ? NONE : Object.keys(untrusted);
  return { pending: NONE, untrusted: pointers, expected: NONE, tainted, approvals };
}

/** What is the same for every call that is asked about as the run stands. */
interface AboutRun extends Pick<CallCircumstances, 'profile' | 'environment' | 'risk' | 'evidence' | 'remaining'> {
  readonly principal: PolicyPrincipal;
}

function aboutRun(env: KernelEnv, state: RunState): AboutRun {
  const { manifest, budget, intake } = state;
  const { token } = intake;
  if (manifest === null || budget === null || token === null)
    throw impossible('a call before the run has begun', state);
  const { agent, environment, autonomy_boundary } = manifest;
  return {
    principal: principalOf(agent, token),
    profile: autonomy_boundary.profile,
    environment,
    risk: intake.risk,
    evidence: evidenceFields(env, state),
    remaining: inOrder(remaining(budget, elapsedMs(state))),
  };
}

/** By name, as the canonical form has them: every call is asked about with all of them. */
const inOrder = (left: Amounts): CallCircumstances['remaining'] => ({
  context_tokens: left.context_tokens,
  cost_microusd: left.cost_microusd,
  external_api_calls: left.external_api_calls,
  input_tokens: left.input_tokens,
  lanes: left.lanes,
  memory_writes: left.memory_writes,
  output_tokens: left.output_tokens,
  reflection_passes: left.reflection_passes,
  replan_attempts: left.replan_attempts,
  retry_count: left.retry_count,
  side_effects: left.side_effects,
  steps: left.steps,
  tool_calls: left.tool_calls,
  tool_spend_microusd: left.tool_spend_microusd,
  wall_clock_ms: left.wall_clock_ms,
});

interface AskedCall {
  readonly step: PlanStep;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
}

/** A dispatcher is asked about, and so is every call behind it. */
function requestsFor(
  env: KernelEnv,
  run: AboutRun,
  moment: Moment,
  { step, spec, args }: AskedCall,
): readonly CallRequest[] {
  if (spec.unwrap === undefined) return [requestFor(run, moment, step, spec, args)];
  const requests: CallRequest[] = [];
  for (const call of callsBehind(env, spec, args)) {
    const real = env.tools.get(call.tool);
    if (real !== undefined) requests.push(requestFor(run, moment, step, real, call.args));
  }
  return requests;
}

function requestFor(run: AboutRun, moment: Moment, step: PlanStep, spec: ToolSpec, args: JsonObject): CallRequest {
  const context = circumstances(run, moment, args);
  return { action: 'call_tool', principal: run.principal, resource: policyTool(spec, step), context };
}

/** The outermost first; one that does not say what it would call is asked about alone. */
function callsBehind({ tools }: KernelEnv, spec: ToolSpec, args: JsonObject): readonly RealCall[] {
  const outer = { tool: spec.name, args };
  return realCalls(outer, (name) => tools.get(name)) ?? [outer];
}

/** By name, as the canonical form has it: an engine that looks at whole requests has it written out. */
const circumstances = (run: AboutRun, moment: Moment, args: JsonObject): CallCircumstances => ({
  approvals: moment.approvals,
  arguments: args,
  environment: run.environment,
  evidence: run.evidence,
  expected: moment.expected,
  pending: moment.pending,
  planned_after_untrusted: moment.tainted,
  profile: run.profile,
  remaining: run.remaining,
  risk: run.risk,
  untrusted: moment.untrusted,
});

/** The same tool in the same mode is the same to every policy: it is described once, and frozen. */
const DESCRIBED = new WeakMap<ToolSpec, Map<string, PolicyTool>>();

function describedModes(spec: ToolSpec): Map<string, PolicyTool> {
  const known = DESCRIBED.get(spec);
  if (known !== undefined) return known;
  const modes = new Map<string, PolicyTool>();
  DESCRIBED.set(spec, modes);
  return modes;
}

function policyTool(spec: ToolSpec, step: PlanStep): PolicyTool {
  const mode = effectiveMode(step, spec);
  const known = describedModes(spec);
  const before = known.get(mode);
  if (before !== undefined) return before;
  const { name, version, category, external, side_effect, trusted, hazards } = spec;
  const described: PolicyTool = Object.freeze({
    name,
    version,
    mode,
    category,
    external,
    side_effect,
    trusted,
    action: hazards?.action ?? null,
    blast_radius: hazards?.blast_radius ?? null,
    rollback: hazards?.rollback ?? null,
  });
  known.set(mode, described);
  return described;
}

/** The newest evidence of each type, as far as a rule can compare it. */
function evidenceFields({ tools }: KernelEnv, state: RunState): Readonly<Record<string, JsonObject>> {
  const found: Record<string, JsonObject> = {};
  const { evidenceByType } = state.work;
  for (const type of Object.keys(evidenceByType)) {
    const evidenceId = evidenceByType[type] ?? '';
    const source = isObserved(state, evidenceId) ? committedUnder(state, evidenceId) : null;
    if (source !== null && tools.get(source.tool)?.produces.includes(type)) found[type] = comparable(source.fact.value);
  }
  return found;
}

/** What was found is asked about before every call from then on; what is large is looked through once. */
const COMPARABLE = new WeakMap<JsonObject, JsonObject>();
const LARGE = 32;

/** What cannot be compared is still there: a rule must be able to tell a field of the wrong type from none. */
function comparable(value: Json): JsonObject {
  if (!isJsonObject(value)) return {};
  const names = Object.keys(value);
  if (names.length < LARGE && !names.some((name) => isJsonList(value[name] ?? null))) return fieldsOf(value, names);
  const known = COMPARABLE.get(value) ?? fieldsOf(value, names);
  COMPARABLE.set(value, known);
  return known;
}

/** Without fields to be compared otherwise, a document is its own account. */
function fieldsOf(value: JsonObject, names: readonly string[]): JsonObject {
  if (names.every((name) => isComparable(value[name] ?? null))) return value;
  return Object.fromEntries(
    names.map((name) => [name, isComparable(value[name] ?? null) ? (value[name] ?? null) : null]),
  );
}

const isComparable = (field: Json): boolean =>
  isJsonList(field) ? field.every((item) => typeof item === 'string') : typeof field !== 'object';
