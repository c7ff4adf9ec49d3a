import {
  type AuthorizationRequest,
  authorizeDispatch,
  authorizeProbe,
  type Clearance,
  type DispatchRequests,
  type ProbeClearance,
} from '../../gateway/dispatch/authorize-step.ts';
import type { CallRules, Layer } from '../../gateway/layers/layer.ts';
import {
  callConditions,
  callPolicy,
  currentPlanStep,
  isUndoCall,
  type KernelEnv,
  probeOrigin,
  probePolicy,
  type RunState,
  refusedUntil,
  refuseLane,
} from '../../kernel/index.ts';
import { hasLocalEffects } from '../../model/budget/budget-profile.ts';
import { approvalsFor } from '../../model/critic/decision.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { AS_PLANNED } from '../../model/policy/policy-decision.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import { innerOrigin, realCalls } from '../../model/tool/inner-call.ts';

/** The agent and the environment that a call is authorized against. */
export interface Bounds {
  readonly agent: AgentSpec;
  readonly env: KernelEnv;
}

type Authorize = CallRules['authorize'] | null;

/** Authorizes the call of a step, and every call that it passes on. */
export function authorizeStepCall(
  pins: Bounds,
  layers: readonly Layer[],
  state: RunState,
  effect: EffectOf<'clear_step'>,
): EventBody {
  const planned = currentPlanStep(state);
  if (planned?.id !== effect.step_id) {
    throw new Fault('step_not_verified', `step ${effect.step_id} is not in the verified plan`);
  }
  const lane = refusedLane(pins.env, state, effect);
  if (lane !== null) return lane;
  const step = planned.tool === effect.tool ? planned : { ...planned, tool: effect.tool };
  const { args, args_hash: argsHash, inputs, attempt, origin, cached } = effect;
  const asked: Asked = { step, args, argsHash, inputs, attempt, origin, cached, now: state.now };
  return shorten(state, authorizeDispatch(requestsFor(pins, state, asked, callPolicy(pins.env, state)), layers));
}

/** Replaces a policy decision that equals the one recorded with the plan by a short marker. */
function shorten({ planning }: RunState, event: Clearance): EventBody {
  if (event.type !== 'step_cleared' || event.policy === undefined) return event;
  return event.policy === planning.decisions.get(event.step_id) ? { ...event, policy: AS_PLANNED } : event;
}

/** Refuses a lane that may not be opened, before its call is checked. */
function refusedLane(env: KernelEnv, state: RunState, { step_id, tool }: EffectOf<'clear_step'>): EventBody | null {
  const spec = env.tools.get(tool);
  if (spec === undefined || (spec.lane === undefined && state.lanes === undefined)) return null;
  const refusal = refuseLane(env, state, spec);
  return refusal === null ? null : { type: 'step_refused', step_id, ...refusal, missing: [] };
}

/** Authorizes a probe by the same rules, without a plan step that could widen or narrow them. */
export function authorizeProbeCall(
  pins: Bounds,
  layers: readonly Layer[],
  state: RunState,
  { kind, call, probe }: EffectOf<'probe_step'> | EffectOf<'reconcile_call'>,
): (args: JsonObject, argsHash: string, now: number) => ProbeClearance {
  const origin = probeOrigin(pins.env, state, kind);
  return (args, argsHash, now) => {
    const step = { id: call.step_id, tool: probe };
    const asked: Asked = { step, args, argsHash, inputs: undefined, attempt: 1, origin, cached: undefined, now };
    const authorize = probePolicy(pins.env, state, { stepId: call.step_id, tool: probe, args, origin });
    return authorizeProbe(() => requestsFor(pins, state, asked, authorize), layers);
  };
}

type Asked = Pick<
  AuthorizationRequest,
  'step' | 'args' | 'argsHash' | 'inputs' | 'attempt' | 'origin' | 'now' | 'cached'
>;

/** Builds the requests with every field set, so that all of them have one shape; this runs before every call. */
function requestsFor(pins: Bounds, state: RunState, asked: Asked, authorize: Authorize): DispatchRequests {
  const { agent, env } = pins;
  const { runId, tenantId } = state.id;
  const { step, args, argsHash, inputs, attempt, origin, cached, now } = asked;
  const { tool } = step;
  const outer: AuthorizationRequest = {
    run: { runId, tenantId, agent: agent.name },
    step,
    spec: env.tools.get(tool),
    args,
    argsHash,
    inputs,
    attempt,
    origin,
    cached,
    token: state.intake.token,
    now,
    rules: callRules(pins, state, tool, authorize),
    check: (input) => env.tools.checkArguments(tool, input),
  };
  return { outer, inner: innerRequests(pins, state, outer, authorize) };
}

const NOTHING: readonly AuthorizationRequest[] = Object.freeze([]);

/** The calls that a dispatcher tool passes on. Each is authorized as if it were called directly. */
function innerRequests(
  pins: Bounds,
  state: RunState,
  outer: AuthorizationRequest,
  authorize: Authorize,
): readonly AuthorizationRequest[] {
  if (outer.spec?.unwrap === undefined) return NOTHING;
  const { env } = pins;
  const calls = realCalls({ tool: outer.spec.name, args: outer.args }, (tool) => env.tools.get(tool));
  if (calls === null) {
    throw new Fault('argument_invalid', `${outer.spec.name} does not say which tool it would call, or with what`);
  }
  let { origin } = outer;
  return calls.slice(1).map(({ tool, args }, place) => {
    const unwrap = env.tools.get(calls[place]?.tool ?? '')?.unwrap;
    if (unwrap !== undefined) origin = innerOrigin(origin, unwrap);
    return {
      ...outer,
      step: { ...outer.step, tool },
      spec: env.tools.get(tool),
      args,
      origin,
      rules: callRules(pins, state, tool, authorize),
      check: (inner) => env.tools.checkArguments(tool, inner),
    };
  });
}

function callRules({ agent, env }: Bounds, state: RunState, tool: string, authorize: Authorize): CallRules {
  const { manifest, intake } = state;
  if (manifest === null) throw new Fault('boundary_missing', 'the run has no manifest, and so no boundary');
  const bounds = manifest.autonomy_boundary.tools;
  const localEffects = hasLocalEffects(agent.budget);
  const approvals = approvalsFor(env.catalog, tool);
  const trippedUntil = refusedUntil(state, tool) ?? undefined;
  const conditions = callConditions(env, state) ?? undefined;
  return {
    bounds,
    risk: intake.risk,
    approvals,
    localEffects,
    trippedUntil,
    authorize: authorize ?? undefined,
    conditions,
    undoes: isUndoCall(env, state, tool),
  };
}
