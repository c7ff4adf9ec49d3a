import type { Effect } from '../model/effect.ts';
import type { GateKind } from '../model/gate.ts';
import type { Address } from '../model/hash.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { PlanPacket } from '../model/plan-packet.ts';
import { actionPacket, showAction } from './action-packet.ts';
import { raise } from './closing.ts';
import { type AlsoAsked, dryRun } from './dry-run.ts';
import type { KernelEnv } from './env.ts';
import { recipientFor } from './escalate.ts';
import { decidersOf, gatePolicy } from './gate-policy.ts';
import type { OpenGate } from './people-state.ts';
import { impossible, NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { canWalk, standsOn, walk } from './walk.ts';

const PLAN_GATE = 'GATE_PLAN_APPROVAL';

/** Freezes the exact call and what is known at this moment, and puts it before people, one gate at a time per name. */
export function openActionGates(env: KernelEnv, state: RunState, names: readonly string[]): Reaction {
  const current = state.current;
  if (current === null || state.planning.active === null) throw impossible('a gate without a step', state);
  if (!canWalk(env, state, 'human_approval')) {
    const detail = { step_id: current.stepId, tool: current.tool, gates: names };
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'nobody_to_ask', detail }), NOTHING];
  }
  const [waiting, effects] = askAtGates(env, state, names);
  return [walk(env, waiting, 'human_approval'), effects];
}

/** The same, wherever the run stands on its graph: what takes an effect back is no step of it. */
export function askAtGates(env: KernelEnv, state: RunState, names: readonly string[]): Reaction {
  const shown = showAction(env, state);
  const effects = names.map((name, offset) => {
    const expiresAt = expiryOf(env, state, name);
    const packet = withExchange(state, name, actionPacket(env, shown, name, expiresAt));
    return gateEffect(state, { name, kind: 'action', offset, expiresAt }, packet);
  });
  return [waitingFor(state, names.length), effects];
}

/** Puts one gate again, with what has been said about it since, under a hash of its own and with all its time. */
export function askAnew(env: KernelEnv, state: RunState, gate: OpenGate): Reaction {
  const { name, kind } = gate;
  const expiresAt = expiryOf(env, state, name);
  const shown =
    kind === 'plan' ? planPacket(env, state, expiresAt) : actionPacket(env, showAction(env, state), name, expiresAt);
  const effect = gateEffect(state, { name, kind, offset: 0, expiresAt }, withExchange(state, name, shown));
  const gates = state.people.gates.filter((open) => open !== gate);
  const people = { ...state.people, gates, gatesOpened: state.people.gatesOpened + 1 };
  return [{ ...state, people }, [effect]];
}

/** The packet with what was asked and answered about the same thing, where anything was. */
function withExchange({ people, current, planning }: RunState, name: string, packet: JsonObject): JsonObject {
  if (people.inquiries.length === 0) return packet;
  const stepId = packet['kind'] === 'plan' ? null : (current?.stepId ?? null);
  const planHash = planning.active?.hash ?? '';
  const exchange = people.inquiries.flatMap(({ gate, stepId: step, planHash: plan, asked, answer }) =>
    gate === name && step === stepId && plan === planHash && answer !== null ? [{ ...asked, ...answer }] : [],
  );
  return exchange.length === 0 ? packet : { ...packet, exchange };
}

/** Puts the whole plan before a person, before its first step. */
export function openPlanGate(env: KernelEnv, state: RunState): Reaction {
  const waits = standsOn(env, state, 'human_approval');
  if (!waits && !canWalk(env, state, 'human_approval')) {
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'nobody_to_ask' }), NOTHING];
  }
  const expiresAt = expiryOf(env, state, PLAN_GATE);
  const packet = withExchange(state, PLAN_GATE, planPacket(env, state, expiresAt));
  const effect = gateEffect(state, { name: PLAN_GATE, kind: 'plan', offset: 0, expiresAt }, packet);
  const waiting = waitingFor(state, 1);
  return [waits ? waiting : walk(env, waiting, 'human_approval'), [effect]];
}

function planPacket(env: KernelEnv, state: RunState, expiresAt: number): JsonObject {
  const active = state.planning.active;
  if (active === null) throw impossible('a plan gate without a plan', state);
  const packet: PlanPacket = {
    gate: PLAN_GATE,
    kind: 'plan',
    run_id: state.id.runId,
    plan_id: active.plan.plan_id,
    plan_hash: active.hash as Address,
    task: state.intake.goal?.statement ?? '',
    plan: active.plan,
    dry_run: dryRun(env, active.plan, askedBesides(state)),
    requested_by: state.intake.identity?.actor ?? 'nobody',
    requested_from: recipientFor('high_impact_mutation', state.manifest?.autonomy_boundary.escalation_paths ?? []),
    deciders: decidersOf(env, PLAN_GATE),
    expires_at: expiresAt,
  };
  return packet as unknown as Readonly<Record<string, Json>>;
}

/** A gate that is neither before a call nor before a plan, and what is special about what it shows. */
export interface BesideGate {
  readonly name: string;
  readonly kind: Extract<GateKind, 'scope' | 'memory'>;
  readonly about: JsonObject;
  readonly requestedFrom: string;
}

/** Puts something else before a person. The run waits where it stands. */
export function openBesideGate(env: KernelEnv, state: RunState, gate: BesideGate): Reaction {
  const { name, kind, about, requestedFrom } = gate;
  const expiresAt = expiryOf(env, state, name);
  const packet: JsonObject = {
    gate: name,
    kind,
    run_id: state.id.runId,
    task: state.intake.goal?.statement ?? '',
    ...about,
    requested_by: state.intake.identity?.actor ?? 'nobody',
    requested_from: requestedFrom,
    deciders: decidersOf(env, name) as unknown as Json,
    expires_at: expiresAt,
  };
  return [waitingFor(state, 1), [gateEffect(state, { name, kind, offset: 0, expiresAt }, packet)]];
}

const expiryOf = (env: KernelEnv, { now }: RunState, name: string): number => now + gatePolicy(env, name).ttlMs;

const waitingFor = (state: RunState, count: number): RunState => ({
  ...state,
  people: { ...state.people, gatesOpened: state.people.gatesOpened + count, undecided: count, decision: null },
});

interface Asking {
  readonly name: string;
  readonly kind: GateKind;
  /** Several gates of one call are opened together and numbered in a row. */
  readonly offset: number;
  readonly expiresAt: number;
}

function gateEffect(state: RunState, { name, kind, offset, expiresAt }: Asking, packet: JsonObject): Effect {
  return {
    kind: 'open_gate',
    gate_id: `gate_${state.id.runId}_${state.people.gatesOpened + offset + 1}`,
    name,
    gate_kind: kind,
    step_id: kind === 'action' ? (state.current?.stepId ?? null) : null,
    packet,
    expires_at: expiresAt,
  };
}

/** Whoever approves a plan sees every gate that is known of it by then. */
function askedBesides({ manifest, planning }: RunState): AlsoAsked {
  return {
    needsApproval: manifest?.autonomy_boundary.tools.needs_approval ?? [],
    policyGates: (stepId) => planning.decisions.get(stepId)?.gates ?? [],
  };
}
