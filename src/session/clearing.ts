import { clearCalls, type Requests } from '../gateway/clear-dispatched.ts';
import { clearProbe, type ProbeClearance } from '../gateway/clear-probe.ts';
import type { Clearance, ClearRequest } from '../gateway/clear-step.ts';
import type { CallRules, Layer } from '../gateway/layers/layer.ts';
import { callPolicy, probePolicy } from '../kernel/call-policy.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { fanoutRefusal, laneRefusal } from '../kernel/lanes/lane-seat.ts';
import { probeOrigin } from '../kernel/probe-origin.ts';
import { stepAtHand } from '../kernel/rollback/step-at-hand.ts';
import type { RunState } from '../kernel/state.ts';
import { refusedUntil } from '../kernel/tripped.ts';
import { approvalsFor } from '../kernel/verify/governing-decisions.ts';
import type { AgentSpec } from '../model/agent.ts';
import { effectsStayLocal } from '../model/budget-profile.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { innerOrigin, realCalls } from '../model/inner-call.ts';
import type { JsonObject } from '../model/json.ts';
import { AS_PLANNED } from '../model/policy-decision.ts';

/** What a call is cleared against: who acts, and with which tools and rules. */
export interface Bounds {
  readonly agent: AgentSpec;
  readonly env: KernelEnv;
}

type Authorize = CallRules['authorize'] | null;

/** Has the gateway rule on the call of a step, and on whatever it passes on. */
export function clearCall(
  pins: Bounds,
  layers: readonly Layer[],
  state: RunState,
  effect: EffectOf<'clear_step'>,
): EventBody {
  const planned = stepAtHand(state);
  if (planned?.id !== effect.step_id) {
    throw new Fault('step_not_verified', `step ${effect.step_id} is not in the verified plan`);
  }
  const lane = refusedLane(pins.env, state, effect);
  if (lane !== null) return lane;
  const step = planned.tool === effect.tool ? planned : { ...planned, tool: effect.tool };
  const { args, args_hash: argsHash, attempt, origin, cached } = effect;
  const asked: Asked = { step, args, argsHash, attempt, origin, cached, now: state.now };
  return inShort(state, clearCalls(requestsFor(pins, state, asked, callPolicy(pins.env, state)), layers));
}

/** What was decided when the plan was verified is on record there, and is not told again with every call. */
function inShort({ planning }: RunState, event: Clearance): EventBody {
  if (event.type !== 'step_cleared' || event.policy === undefined) return event;
  return event.policy === planning.decisions.get(event.step_id) ? { ...event, policy: AS_PLANNED } : event;
}

/** Whether a lane may be opened at all comes before everything that would be asked about the call of it. */
function refusedLane(env: KernelEnv, state: RunState, { step_id, tool }: EffectOf<'clear_step'>): EventBody | null {
  const spec = env.tools.get(tool);
  if (spec === undefined || (spec.lane === undefined && state.lanes === undefined)) return null;
  const full = fanoutRefusal(env, state);
  const refusal = full ?? laneRefusal(env, state, spec);
  if (refusal === null) return null;
  return { type: 'step_refused', step_id, layer: full === null ? 'permission' : 'budget', ...refusal, missing: [] };
}

/** Has it rule on asking a probe: by the same rules, and without a step of the plan that could ask for more or less. */
export function clearLook(
  pins: Bounds,
  layers: readonly Layer[],
  state: RunState,
  { kind, call, probe }: EffectOf<'probe_step'> | EffectOf<'reconcile_call'>,
): (args: JsonObject, argsHash: string, now: number) => ProbeClearance {
  const origin = probeOrigin(pins.env, state, kind);
  return (args, argsHash, now) => {
    const step = { id: call.step_id, tool: probe };
    const asked: Asked = { step, args, argsHash, attempt: 1, origin, cached: undefined, now };
    const authorize = probePolicy(pins.env, state, { stepId: call.step_id, tool: probe, args, origin });
    return clearProbe(() => requestsFor(pins, state, asked, authorize), layers);
  };
}

type Asked = Pick<ClearRequest, 'step' | 'args' | 'argsHash' | 'attempt' | 'origin' | 'now' | 'cached'>;

/** Every field by name, and none left out: requests are made before every call, and then all of them have one shape. */
function requestsFor(pins: Bounds, state: RunState, asked: Asked, authorize: Authorize): Requests {
  const { agent, env } = pins;
  const { runId, tenantId } = state.id;
  const { step, args, argsHash, attempt, origin, cached, now } = asked;
  const { tool } = step;
  const outer: ClearRequest = {
    run: { runId, tenantId, agent: agent.name },
    step,
    spec: env.tools.get(tool),
    args,
    argsHash,
    attempt,
    origin,
    cached,
    token: state.intake.token,
    now,
    rules: callRules(pins, state, tool, authorize),
    check: (given) => env.tools.checkArguments(tool, given),
  };
  return { outer, inner: behind(pins, state, outer, authorize) };
}

const NOTHING: readonly ClearRequest[] = Object.freeze([]);

/** What a dispatcher passes on is cleared as if it had been called directly. */
function behind(pins: Bounds, state: RunState, outer: ClearRequest, authorize: Authorize): readonly ClearRequest[] {
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
  const localEffects = effectsStayLocal(agent.budget);
  const approvals = approvalsFor(env.catalog, tool);
  const trippedUntil = refusedUntil(state, tool) ?? undefined;
  return { bounds, risk: intake.risk, approvals, localEffects, trippedUntil, authorize: authorize ?? undefined };
}
