import {
  budgetSnapshot,
  elapsedMs,
  initialState,
  type KernelEnv,
  movesMade,
  type RunState,
  runCost,
  step,
} from '../kernel/index.ts';
import type { BudgetCaps } from '../model/budget/budget.ts';
import type { RunCost } from '../model/budget/run-cost.ts';
import type { CheckpointVerdict } from '../model/events/checkpoint.ts';
import type { EffectOf } from '../model/events/effect.ts';
import type { EventType, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import { address } from '../model/json/hash.ts';
import type { JsonObject } from '../model/json/json.ts';
import { type EscalationTrace, NONE, type StateCheckpoint } from '../model/record/trace.ts';

/** One event of a run, with the state before and after it. */
export interface Walked {
  readonly frame: Frame;
  /** Index of the event in its frame, from 0. */
  readonly place: number;
  readonly event: RunEvent;
  readonly before: RunState;
  readonly state: RunState;
  readonly saved: readonly EffectOf<'save_checkpoint'>[];
}

/** Folds a run event by event. Derives and compares nothing; `replayRun` does. */
export function* walkRun(env: KernelEnv, frames: readonly Frame[]): Generator<Walked, void> {
  let state = initialState(env);
  for (const frame of frames) {
    for (const walked of walkFrom(env, state, frame)) {
      state = walked.state;
      yield walked;
    }
  }
}

/** Folds one frame, starting from the state before it. */
export function* walkFrom(env: KernelEnv, from: RunState, frame: Frame): Generator<Walked, void> {
  let before = from;
  for (const [place, event] of frameEvents(frame).entries()) {
    const [state, effects, fault] = step(env, before, event);
    if (fault !== undefined) {
      const message = `frame ${frame.seq}, event ${place}: ${event.type} is refused: ${fault.message}`;
      throw new Fault('replay_divergence', message, { path: `/${place}` });
    }
    const saved = effects.filter((effect): effect is EffectOf<'save_checkpoint'> => effect.kind === 'save_checkpoint');
    yield { frame, place, event, before, state, saved };
    before = state;
  }
}

/** A move along one edge of the graph, and the event that caused it. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly by: EventType;
  /** Number of that event in the run, from 1. */
  readonly event: number;
  readonly at: number;
}

/** The moves that an event caused, in order. */
function movesIn({ before, state, event }: Walked): readonly Move[] {
  let from = before.position.node;
  return movesMade(state.position.moves).map((to) => {
    const move = { from, to, by: event.type, event: state.seq, at: event.at };
    from = to;
    return move;
  });
}

/**
 * Describes every illegal move; empty if the trajectory is legal. Every exit from human approval needs a request to a
 * person that was settled by then.
 */
export function illegalMoves(
  { graph }: Pick<KernelEnv, 'graph'>,
  moves: readonly Move[],
  escalations: readonly EscalationTrace[],
): readonly string[] {
  const waiting = graph.idOf('human_approval');
  const found: string[] = [];
  let node = graph.spec.entry;
  let exits = 0;
  for (const { from, to, event, at } of moves) {
    if (from === waiting) exits += 1;
    if (from !== node) found.push(`event ${event} moves from ${from}, and the run stands on ${node}`);
    else if (graph.edge(from, to) === null) found.push(`event ${event}: there is no edge from ${from} to ${to}`);
    else if (from === waiting && settledBy(escalations, at) < exits)
      found.push(`event ${event} leads out of ${from}, and no request to a person was settled by then`);
    node = to;
  }
  return found;
}

const settledBy = (escalations: readonly EscalationTrace[], at: number): number =>
  escalations.filter(({ settled_at }) => settled_at !== null && settled_at <= at).length;

/** Run ids of the lanes that a run opened, in order. Their own lanes are not included. */
export function lanesOpened(env: KernelEnv, frames: readonly Frame[]): readonly string[] {
  const opened = new Set<string>();
  for (const { state } of walkRun(env, frames))
    for (const { laneContext } of state.lanes ?? []) opened.add(laneContext.run_id);
  return [...opened];
}

/** The state of a run at each verdict, its moves, and its final budget. */
interface RunStanding {
  readonly checkpoints: readonly StateCheckpoint[];
  readonly moves: readonly Move[];
  readonly caps: BudgetCaps | null;
  readonly used: Readonly<Record<string, number>>;
  readonly cost: RunCost;
  readonly accept: number;
  /** The state at the end; null for a run without frames. */
  readonly state: RunState | null;
}

export function standingOf(env: KernelEnv, frames: readonly Frame[]): RunStanding {
  const checkpoints: StateCheckpoint[] = [];
  const moves: Move[] = [];
  let last: RunState | null = null;
  for (const walked of walkRun(env, frames)) {
    checkpoints.push(...savedBy(env, walked));
    moves.push(...movesIn(walked));
    last = walked.state;
  }
  const budget = last?.budget ?? null;
  const used = last === null || budget === null ? {} : budgetSnapshot(budget, elapsedMs(last));
  const cost = runCost(last ?? initialState(env));
  return { checkpoints, moves, caps: budget?.caps ?? null, used, cost, accept: env.rubric.accept, state: last };
}

function savedBy({ hash }: KernelEnv, { state, event, saved }: Walked): readonly StateCheckpoint[] {
  return saved.map(({ checkpoint_id, payload }) => ({
    checkpoint_id,
    judged: judgedBy(event.type, payload),
    after_step: payload['after_step'] as string | null,
    verdict: payload['critic_verdict'] as CheckpointVerdict | null,
    state_version: state.work.version,
    node: state.position.node,
    state: address(hash, payload),
    at: event.at,
  }));
}

/** The subject of a verdict: the plan, a step or the run. A checkpoint without a verdict has none. */
function judgedBy(type: EventType, { after_step, critic_verdict }: JsonObject): StateCheckpoint['judged'] {
  if (critic_verdict === null) return NONE;
  if (type === 'plan_verified') return 'plan';
  return type === 'run_judged' || after_step === null ? 'run' : 'step';
}
