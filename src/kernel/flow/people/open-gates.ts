import type { Effect } from '../../../model/events/effect.ts';
import type { Stop } from '../../../model/fault/terminal-code.ts';
import type { PlanPacket } from '../../../model/gate/approval-packet.ts';
import type { GateKind } from '../../../model/gate/gate.ts';
import type { GateTerms } from '../../../model/gate/gate-terms.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import { shownDoubts } from '../../query/call/doubted-tool.ts';
import { actionPacket, describeAction } from '../../query/gate/action-packet.ts';
import { recipientFor } from '../../query/gate/escalation.ts';
import { decidersOf, gatePolicy, gateTerms } from '../../query/gate/gate-policy.ts';
import { dryRun, type GateSources } from '../../query/plan/dry-run.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { OpenGate } from '../../state/people-state.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { NO_EFFECTS, type Reaction, raise } from '../../transition/reaction.ts';
import { canWalk, forgetVisits, isAtNode, walk } from '../../transition/walk.ts';
import { draftsIn, readDraft } from '../../verify/drafts.ts';
import { escalateRun } from './escalate.ts';

const PLAN_GATE = 'GATE_PLAN_APPROVAL';

/** Asks people for the gates of the current call, with the call and the evidence as they are now. */
export function openActionGates(env: KernelEnv, state: RunState, names: readonly string[]): Reaction {
  const current = state.current;
  if (current === null || state.planning.active === null) throw impossibleEvent('a gate without a step', state);
  if (!canWalk(env, state, 'human_approval')) {
    const detail = { step_id: current.stepId, tool: current.tool, gates: names };
    if (hasAskedTooOften(env, state)) return escalateFailures(env, state, detail);
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'nobody_to_ask', detail }), NO_EFFECTS];
  }
  const [waiting, effects] = openGatesInPlace(env, state, names);
  return [walk(env, waiting, 'human_approval'), effects];
}

/** Whether only the number of gates since the last commit keeps the run from another one. */
const hasAskedTooOften = (env: KernelEnv, state: RunState): boolean =>
  hasRule(state, 'repeats_reviewed') && canWalk(env, forgetVisits(state), 'human_approval');

/** Hands over a run whose approved calls failed one after another. Recorded runs end instead (ADR 0096). */
function escalateFailures(env: KernelEnv, state: RunState, detail: JsonObject): Reaction {
  const message = state.planning.reason?.message;
  const stop: Stop = {
    code: 'REPEATED_FAILURE',
    reason: 'approved_calls_failed',
    detail: message === undefined ? detail : { ...detail, message },
  };
  return escalateRun(env, forgetVisits(state), 'repeated_failure', stop);
}

/** The same at any node: a compensation is not part of the graph. */
export function openGatesInPlace(env: KernelEnv, state: RunState, names: readonly string[]): Reaction {
  // Recorded runs ask for each gate on its own (ADR 0130).
  const requests = hasRule(state, 'gates_together') ? [names] : names.map((name) => [name]);
  const effects = requests.map((gates, offset) => actionGate(env, state, gates, offset));
  return [awaitGates(state, requests.length), effects];
}

/** The request for these gates of the current call, with one packet. Its time is up when that of one gate is. */
function actionGate(env: KernelEnv, state: RunState, names: readonly string[], offset: number): Effect {
  const gates = gateTerms(env, state, names);
  const name = names[0] ?? '';
  const expiresAt = Math.min(...gates.map((each) => each.expires_at));
  const packet = withExchange(state, name, actionPacket(describeAction(env, state), gates));
  return gateEffect(state, { name, kind: 'action', offset, expiresAt, gates }, packet);
}

/** Reopens a gate with the exchange so far, under a new packet hash and with its full time. */
export function reopenGate(env: KernelEnv, state: RunState, gate: OpenGate): Reaction {
  const names = gate.gates.map(({ name }) => name);
  const effect = gate.kind === 'plan' ? planGate(env, state) : actionGate(env, state, names, 0);
  const gates = state.people.gates.filter((open) => open !== gate);
  const people = { ...state.people, gates, gatesOpened: state.people.gatesOpened + 1 };
  return [{ ...state, people }, [effect]];
}

/** Adds the answered inquiries about the same call or plan to a packet. */
function withExchange(state: RunState, name: string, packet: JsonObject): JsonObject {
  const { people, current, planning } = state;
  if (people.inquiries.length === 0) return packet;
  const stepId = packet['kind'] === 'plan' ? null : (current?.stepId ?? null);
  const planHash = planning.active?.hash ?? '';
  const together = hasRule(state, 'gates_together') && packet['kind'] === 'action';
  const exchange = people.inquiries.flatMap(({ gate, stepId: step, planHash: plan, asked, answer }) =>
    (together || gate === name) && step === stepId && plan === planHash && answer !== null
      ? [{ ...asked, ...answer }]
      : [],
  );
  return exchange.length === 0 ? packet : { ...packet, exchange };
}

export function openPlanGate(env: KernelEnv, state: RunState): Reaction {
  const isWaiting = isAtNode(env, state, 'human_approval');
  if (!isWaiting && !canWalk(env, state, 'human_approval')) {
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'nobody_to_ask' }), NO_EFFECTS];
  }
  const effect = planGate(env, state);
  const waiting = awaitGates(state, 1);
  return [isWaiting ? waiting : walk(env, waiting, 'human_approval'), [effect]];
}

function planGate(env: KernelEnv, state: RunState): Effect {
  const expiresAt = expiryOf(env, state, PLAN_GATE);
  const packet = withExchange(state, PLAN_GATE, planPacket(env, state, expiresAt));
  return gateEffect(state, { name: PLAN_GATE, kind: 'plan', offset: 0, expiresAt }, packet);
}

function planPacket(env: KernelEnv, state: RunState, expiresAt: number): JsonObject {
  const active = state.planning.active;
  if (active === null) throw impossibleEvent('a plan gate without a plan', state);
  const packet: PlanPacket = {
    gate: PLAN_GATE,
    kind: 'plan',
    run_id: state.id.runId,
    plan_id: active.plan.plan_id,
    plan_hash: active.hash as Address,
    task: state.intake.goal?.statement ?? '',
    plan: active.plan,
    dry_run: dryRun(env, active.plan, gateSourcesOf(state)),
    ...plannedDrafts(state, active.plan),
    requested_by: state.intake.identity?.actor ?? 'nobody',
    requested_from: recipientFor('high_impact_mutation', state.manifest?.autonomy_boundary.escalation_paths ?? []),
    deciders: decidersOf(env, PLAN_GATE),
    expires_at: expiresAt,
    ...(state.changedTools === undefined ? {} : { changed_tools: state.changedTools }),
    ...shownDoubts(state),
  };
  return packet as unknown as Readonly<Record<string, Json>>;
}

/** The texts that are still to be written when the plan is approved; no field if there are none. */
function plannedDrafts(state: RunState, { steps }: Plan): Pick<PlanPacket, 'drafts'> {
  if (!hasRule(state, 'drafts_shown')) return {};
  const drafts = steps.flatMap(({ id, params = {} }) =>
    [...draftsIn(params)].map(([pointer, draft]) => ({ step_id: id, pointer, instruction: readDraft(draft).$draft })),
  );
  return drafts.length === 0 ? {} : { drafts };
}

/** A gate that is not about a call or a plan. */
export interface OtherGate {
  readonly name: string;
  readonly kind: Extract<GateKind, 'scope' | 'memory'>;
  readonly about: JsonObject;
  readonly requestedFrom: string;
}

/** Opens a scope or memory gate. The run waits at its current node. */
export function openOtherGate(env: KernelEnv, state: RunState, gate: OtherGate): Reaction {
  const { name, kind, about, requestedFrom } = gate;
  const expiresAt = expiryOf(env, state, name);
  const packet: JsonObject = {
    gate: name,
    kind,
    run_id: state.id.runId,
    task: state.intake.goal?.statement ?? '',
    ...about,
    ...(shownDoubts(state) as JsonObject),
    requested_by: state.intake.identity?.actor ?? 'nobody',
    requested_from: requestedFrom,
    deciders: decidersOf(env, name) as unknown as Json,
    expires_at: expiresAt,
  };
  return [awaitGates(state, 1), [gateEffect(state, { name, kind, offset: 0, expiresAt }, packet)]];
}

const expiryOf = (env: KernelEnv, { now }: RunState, name: string): number => now + gatePolicy(env, name).ttlMs;

const awaitGates = (state: RunState, count: number): RunState => ({
  ...state,
  people: { ...state.people, gatesOpened: state.people.gatesOpened + count, undecided: count, decision: null },
});

interface GateSpec {
  readonly name: string;
  readonly kind: GateKind;
  /** The requests of one turn are numbered in sequence. */
  readonly offset: number;
  readonly expiresAt: number;
  /** All gates of the request; absent for a request that always has one. */
  readonly gates?: readonly GateTerms[];
}

function gateEffect(
  state: RunState,
  { name, kind, offset, expiresAt, gates = [] }: GateSpec,
  packet: JsonObject,
): Effect {
  return {
    kind: 'open_gate',
    gate_id: `gate_${state.id.runId}_${state.people.gatesOpened + offset + 1}`,
    name,
    gate_kind: kind,
    step_id: kind === 'action' ? (state.current?.stepId ?? null) : null,
    packet,
    expires_at: expiresAt,
    ...(gates.length > 1 ? { gates } : {}),
  };
}

/** Shows the approver of a plan every gate that is known by then. */
export function gateSourcesOf(state: RunState): GateSources {
  const { manifest, planning } = state;
  return {
    draftsShown: hasRule(state, 'drafts_shown'),
    needsApproval: manifest?.autonomy_boundary.tools.needs_approval ?? [],
    policyGates: (stepId) => planning.decisions.get(stepId)?.gates ?? [],
  };
}

/** Asks a person to confirm scopes beyond the usual ones. The packet shows the requester, the scopes and the task. */
export function openScopeGate(env: KernelEnv, state: RunState, scopes: readonly string[]): Reaction {
  const confirming: RunState = { ...state, intake: { ...state.intake, confirming: scopes } };
  return openOtherGate(env, confirming, {
    name: 'GATE_SCOPE_CONFIRMATION',
    kind: 'scope',
    about: { scopes },
    requestedFrom: 'operator',
  });
}

/** Resolves the scope again with the confirmed scopes. */
export function openScopes(state: RunState): Reaction {
  const { confirming = [], opened = [], ...intake } = state.intake;
  return [{ ...state, intake: { ...intake, opened: [...opened, ...confirming] } }, [{ kind: 'resolve_scope' }]];
}
