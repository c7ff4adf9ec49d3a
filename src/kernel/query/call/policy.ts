import { type CallOrigin, CLEAN } from '../../../model/evidence/origin.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { type PolicyDecision, policyDecision, withShadow } from '../../../model/policy/policy-decision.ts';
import type {
  CallCircumstances,
  CallRequest,
  PolicyPrincipal,
  PolicyTool,
} from '../../../model/policy/policy-request.ts';
import type { SecurityToken } from '../../../model/run/identity.ts';
import { type RealCall, realCalls } from '../../../model/tool/inner-call.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import { type Amounts, remaining } from '../../budget/view.ts';
import { envAt, type KernelEnv } from '../../env.ts';
import { elapsedMs, impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { effectiveMode } from '../../verify/step-rules.ts';
import { isObserved } from '../evidence/committed.ts';
import { committedUnder } from '../evidence/committed-under.ts';
import { grantsInForce } from '../gate/grants.ts';
import { currentPlanStep } from '../rollback/made-effects.ts';
import { knownArguments } from './known-arguments.ts';

const PRINCIPALS = new WeakMap<SecurityToken, PolicyPrincipal>();

/** The frozen principal of a token, made once per token and agent. */
export function principalOf(agent: string, token: SecurityToken): PolicyPrincipal {
  const known = PRINCIPALS.get(token);
  if (known?.agent === agent) return known;
  const { actor: user, tenant_id: tenant } = token;
  const roles = Object.freeze([...token.roles]);
  const principal = sharePrincipal(Object.freeze({ agent, user, roles, tenant }));
  PRINCIPALS.set(token, principal);
  return principal;
}

/** Limits of the cache of shared principals, since identities come from outside. */
const SHARED_MAX = 500;
const TEXT_MAX = 1_000;
const SHARED = new Map<string, PolicyPrincipal>();

/** Returns one object per identity for all runs, so that caches keyed by principal also work across runs. */
function sharePrincipal(principal: PolicyPrincipal): PolicyPrincipal {
  const text = JSON.stringify(principal);
  if (text.length > TEXT_MAX) return principal;
  const known = SHARED.get(text);
  if (known !== undefined) return known;
  if (SHARED.size >= SHARED_MAX) SHARED.clear();
  SHARED.set(text, principal);
  return principal;
}

/** Returns a function that rules on a planned step, as far as its arguments are known. Null without call policies. */
export function stepPolicy(
  env: KernelEnv,
  state: RunState,
): ((step: PlanStep, spec: ToolSpec, expected: readonly string[]) => PolicyDecision) | null {
  const { calls } = env.policy;
  if (calls === undefined) return null;
  const run = runContext(env, state);
  return (step, spec, expected) => {
    const { args, pending, untrusted } = knownArguments(env, state, step);
    const moment = { pending, untrusted, expected, tainted: state.planning.tainted, approvals: NONE };
    return policyDecision(calls, requestsFor(env, run, moment, { step, spec, args }), env.hash);
  };
}

/** Returns a function that rules on the current call, whose arguments are complete. Null without call policies. */
export function callPolicy(env: KernelEnv, state: RunState): (() => PolicyDecision) | null {
  const { calls, candidate } = env.policy;
  if (calls === undefined) return null;
  return () => {
    const requests = currentRequests(envAt(env, state), state);
    const recorded = state.planning.decisions.get(state.current?.stepId ?? '');
    const decision = policyDecision(calls, requests, env.hash, recorded);
    return candidate === undefined ? decision : withShadow(decision, candidate, requests);
  };
}

interface ProbeCall {
  readonly stepId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly origin: CallOrigin;
}

/**
 * Returns a function that rules on a probe. A probe is in no plan and has no approvals, so no earlier decision exists.
 */
export function probePolicy(
  env: KernelEnv,
  state: RunState,
  { stepId, tool, args, origin }: ProbeCall,
): (() => PolicyDecision) | null {
  const { calls, candidate } = env.policy;
  if (calls === undefined) return null;
  return () => {
    const spec = env.tools.get(tool);
    if (spec === undefined) throw impossibleEvent(`there is no tool ${tool}`, state);
    const call = { step: { id: stepId, tool }, spec, args };
    const requests = requestsFor(env, runContext(env, state), atDispatch(origin, NONE), call);
    const decision = policyDecision(calls, requests, env.hash);
    return candidate === undefined ? decision : withShadow(decision, candidate, requests);
  };
}

/**
 * Returns a function that rules on a probe or a compensation of a planned step. Its arguments depend on the result of the
 * step, so all of them are pending. Null without call policies.
 */
export function companionPolicy(
  env: KernelEnv,
  state: RunState,
): ((stepId: string, spec: ToolSpec, expected: readonly string[]) => PolicyDecision) | null {
  const { calls } = env.policy;
  if (calls === undefined) return null;
  const run = runContext(env, state);
  return (stepId, spec, expected) => {
    const { properties } = spec.input_schema;
    const pending = isJsonObject(properties) ? Object.keys(properties).map(pointerToken) : NONE;
    const moment = { pending, untrusted: NONE, expected, tainted: state.planning.tainted, approvals: NONE };
    const call = { step: { id: stepId, tool: spec.name }, spec, args: {} };
    return policyDecision(calls, requestsFor(env, run, moment, call), env.hash);
  };
}

const NONE: readonly string[] = Object.freeze([]);

function currentRequests(env: KernelEnv, state: RunState): readonly CallRequest[] {
  const { current } = state;
  const planned = currentPlanStep(state);
  const spec = current === null ? undefined : env.tools.get(current.tool);
  if (current === null || planned === undefined || spec === undefined)
    throw impossibleEvent('no call to decide about', state);
  // A replacement tool is evaluated instead of the planned one.
  const step = planned.tool === current.tool ? planned : { ...planned, tool: current.tool };
  // Most runs have no grants.
  const approvals = state.people.grants.length === 0 ? NONE : grantsInForce(env, state).map(({ gate }) => gate);
  const call = { step, spec, args: current.args };
  return requestsFor(env, runContext(env, state), atDispatch(current.origin, approvals), call);
}

/** The circumstances that depend on when a call is evaluated: pending values, expected evidence, approvals. */
interface Moment extends Pick<CallCircumstances, 'pending' | 'untrusted' | 'expected' | 'approvals'> {
  readonly tainted: boolean;
}

/** The circumstances of a call that is about to be sent: no value is pending. */
function atDispatch({ untrusted, tainted }: CallOrigin, approvals: readonly string[]): Moment {
  const pointers = untrusted === CLEAN.untrusted ? NONE : Object.keys(untrusted);
  return { pending: NONE, untrusted: pointers, expected: NONE, tainted, approvals };
}

/** The circumstances that all calls share in the current state of the run. */
interface RunContext extends Pick<CallCircumstances, 'profile' | 'environment' | 'risk' | 'evidence' | 'remaining'> {
  readonly principal: PolicyPrincipal;
}

function runContext(env: KernelEnv, state: RunState): RunContext {
  const { manifest, budget, intake } = state;
  const { token } = intake;
  if (manifest === null || budget === null || token === null)
    throw impossibleEvent('a call before the run has begun', state);
  const { agent, environment, autonomy_boundary } = manifest;
  return {
    principal: principalOf(agent, token),
    profile: autonomy_boundary.profile,
    environment,
    risk: intake.risk,
    evidence: evidenceFields(env, state),
    remaining: sortAmounts(remaining(budget, elapsedMs(state))),
  };
}

/** Fields are in canonical order (by name), because they are part of every request. */
const sortAmounts = (left: Amounts): CallCircumstances['remaining'] => ({
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

interface PolicyCall {
  readonly step: PlanStep;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
}

/** The requests for a call: one, or for a dispatcher one for each nested call as well. */
function requestsFor(
  env: KernelEnv,
  run: RunContext,
  moment: Moment,
  { step, spec, args }: PolicyCall,
): readonly CallRequest[] {
  if (spec.unwrap === undefined) return [requestFor(run, moment, step, spec, args)];
  const requests: CallRequest[] = [];
  for (const call of nestedCalls(env, spec, args)) {
    const real = env.tools.get(call.tool);
    if (real !== undefined) requests.push(requestFor(run, moment, step, real, call.args));
  }
  return requests;
}

function requestFor(run: RunContext, moment: Moment, step: PlanStep, spec: ToolSpec, args: JsonObject): CallRequest {
  const context = callContext(run, moment, args);
  return { action: 'call_tool', principal: run.principal, resource: policyTool(spec, step), context };
}

/** The nested calls of a dispatcher, outermost first. A dispatcher with an unreadable inner call is evaluated alone. */
function nestedCalls({ tools }: KernelEnv, spec: ToolSpec, args: JsonObject): readonly RealCall[] {
  const outer = { tool: spec.name, args };
  return realCalls(outer, (name) => tools.get(name)) ?? [outer];
}

/** Fields are in canonical order (by name), for engines that serialize the request. */
const callContext = (run: RunContext, moment: Moment, args: JsonObject): CallCircumstances => ({
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

/** Frozen tool descriptions by tool and mode, since policies see nothing else of a tool. */
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
  const cached = known.get(mode);
  if (cached !== undefined) return cached;
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

/** The newest evidence of each type, reduced to fields that a rule can compare. */
function evidenceFields({ tools }: KernelEnv, state: RunState): Readonly<Record<string, JsonObject>> {
  const found: Record<string, JsonObject> = {};
  const { evidenceByType } = state.work;
  for (const type of Object.keys(evidenceByType)) {
    const evidenceId = evidenceByType[type] ?? '';
    const source = isObserved(state, evidenceId) ? committedUnder(state, evidenceId) : null;
    if (source !== null && tools.get(source.tool)?.produces.includes(type))
      found[type] = comparableFields(source.fact.value);
  }
  return found;
}

/** Caches the fields of large documents, since evidence is part of every later request. */
const COMPARABLE = new WeakMap<JsonObject, JsonObject>();
const LARGE = 32;

/** Fields that cannot be compared become null, so that a rule can tell a field of the wrong type from a missing one. */
function comparableFields(value: Json): JsonObject {
  if (!isJsonObject(value)) return {};
  const names = Object.keys(value);
  if (names.length < LARGE && !names.some((name) => isJsonList(value[name] ?? null)))
    return pickComparable(value, names);
  const known = COMPARABLE.get(value) ?? pickComparable(value, names);
  COMPARABLE.set(value, known);
  return known;
}

/** Returns the document itself if all its fields can be compared. */
function pickComparable(value: JsonObject, names: readonly string[]): JsonObject {
  if (names.every((name) => isComparable(value[name] ?? null))) return value;
  return Object.fromEntries(
    names.map((name) => [name, isComparable(value[name] ?? null) ? (value[name] ?? null) : null]),
  );
}

const isComparable = (field: Json): boolean =>
  isJsonList(field) ? field.every((item) => typeof item === 'string') : typeof field !== 'object';
