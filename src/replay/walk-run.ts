import type { KernelEnv } from '../kernel/env.ts';
import { initialState } from '../kernel/initial-state.ts';
import { movesMade } from '../kernel/moves.ts';
import type { RunState } from '../kernel/state.ts';
import { step } from '../kernel/step.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventType, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';

/** One event of a run, and how the run stood after it. */
export interface Walked {
  readonly frame: Frame;
  /** Its place among the events of the frame, from 0. */
  readonly place: number;
  readonly event: RunEvent;
  readonly before: RunState;
  readonly state: RunState;
  readonly saved: readonly EffectOf<'save_checkpoint'>[];
}

/** Folds what happened, event by event. Nothing is derived anew and nothing is compared: that is what replay is for. */
export function* walkRun(env: KernelEnv, frames: readonly Frame[]): Generator<Walked, void> {
  let state = initialState(env);
  for (const frame of frames) {
    for (const walked of walkFrom(env, state, frame)) {
      state = walked.state;
      yield walked;
    }
  }
}

/** The same of one frame, from how the run stood before it. */
export function* walkFrom(env: KernelEnv, from: RunState, frame: Frame): Generator<Walked, void> {
  let before = from;
  for (const [place, event] of (JSON.parse(frame.events) as readonly RunEvent[]).entries()) {
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

/** A move along one edge of the graph, and the event that brought it. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly by: EventType;
  /** The number of that event in the run, from 1. */
  readonly event: number;
  readonly at: number;
}

/** The edges that a run has taken, in order. */
export function movesIn({ before, state, event }: Walked): readonly Move[] {
  let from = before.position.node;
  return movesMade(state.position.moves).map((to) => {
    const move = { from, to, by: event.type, event: state.seq, at: event.at };
    from = to;
    return move;
  });
}
