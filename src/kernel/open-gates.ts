import type { Effect } from '../model/effect.ts';
import type { Json } from '../model/json.ts';
import { raise } from './closing.ts';
import type { KernelEnv } from './env.ts';
import { impossible, NOTHING, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { canWalk, standsOn, walk } from './walk.ts';

/** The gates among `names` for which nobody has approved exactly this call under exactly this plan. */
export function missingGates(state: RunState, names: readonly string[]): readonly string[] {
  const current = state.current;
  const planHash = state.planning.active?.hash;
  if (names.length === 0) return names;
  return names.filter(
    (name) =>
      !state.people.grants.some(
        (grant) =>
          grant.gate === name &&
          grant.stepId === current?.stepId &&
          grant.argsHash === current.argsHash &&
          grant.planHash === planHash,
      ),
  );
}

/** Freezes the exact call and what is known at this moment, and puts it before people, one gate at a time per name. */
export function openActionGates(env: KernelEnv, state: RunState, names: readonly string[]): Reaction {
  const current = state.current;
  const active = state.planning.active;
  if (current === null || active === null) throw impossible('a gate without a step', state);
  if (!canWalk(env, state, 'human_approval')) {
    const detail = { step_id: current.stepId, tool: current.tool, gates: names };
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'nobody_to_ask', detail }), NOTHING];
  }
  const packet = {
    run_id: state.id.runId,
    plan_id: active.plan.plan_id,
    plan_hash: active.hash,
    step_id: current.stepId,
    action: current.tool,
    parameters: current.args,
    args_hash: current.argsHash,
    approval_mode: current.mode,
    evidence: { upto: state.work.evidence.size, root: state.work.sealed.root },
  };
  const effects = names.map((name, offset) => gateEffect(env, state, name, 'action', current.stepId, offset, packet));
  return [walk(env, waitingFor(state, names.length), 'human_approval'), effects];
}

/** Puts the whole plan before a person, before its first step. */
export function openPlanGate(env: KernelEnv, state: RunState): Reaction {
  const active = state.planning.active;
  if (active === null) throw impossible('a plan gate without a plan', state);
  const packet = {
    run_id: state.id.runId,
    plan_hash: active.hash,
    task: state.intake.goal?.statement ?? '',
    plan: active.plan as unknown as Json,
  };
  const waits = standsOn(env, state, 'human_approval');
  if (!waits && !canWalk(env, state, 'human_approval')) {
    return [raise(state, { code: 'CONFIRM_REQUIRED', reason: 'nobody_to_ask' }), NOTHING];
  }
  const effect = gateEffect(env, state, 'GATE_PLAN_APPROVAL', 'plan', null, 0, packet);
  const waiting = waitingFor(state, 1);
  return [waits ? waiting : walk(env, waiting, 'human_approval'), [effect]];
}

const waitingFor = (state: RunState, count: number): RunState => ({
  ...state,
  people: { ...state.people, gatesOpened: state.people.gatesOpened + count, undecided: count, decision: null },
});

function gateEffect(
  env: KernelEnv,
  state: RunState,
  name: string,
  kind: 'action' | 'plan',
  stepId: string | null,
  offset: number,
  packet: Readonly<Record<string, Json>>,
): Effect {
  return {
    kind: 'open_gate',
    gate_id: `gate_${state.id.runId}_${state.people.gatesOpened + offset + 1}`,
    name,
    gate_kind: kind,
    step_id: stepId,
    packet: { ...packet, gate: name },
    expires_at: state.now + env.limits.gateTtlMs,
  };
}
