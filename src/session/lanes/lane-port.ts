import type { Derived, RunState } from '../../kernel/index.ts';
import type { CallName, EffectOf } from '../../model/events/effect.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { ReadAncestry } from './ancestry.ts';

/** Runs the lanes of a run. Each answer says whether the lane has ended or waits for people. */
export interface LanePort {
  spawn(state: RunState, effect: EffectOf<'spawn_lane'>, recall: AbortSignal): Promise<Derived>;
  end(state: RunState, effect: EffectOf<'end_lane'>): Promise<Derived>;
  /**
   * Ends the open lanes of a run that is ending, for a process that takes over such a run: the time that lanes have to
   * end may have passed without a process that ended them. A lane that cannot be read does not keep its parent open.
   */
  endOpen(state: RunState): Promise<void>;
  /** The related run that has this call in flight or is about to make it; null if the lane may make it. */
  claimCall(lane: RunState, call: CallName): string | null;
  /** Reads the runs above a lane, which must permit its intents. */
  readonly ancestry: ReadAncestry;
}

function refuseLane(): never {
  throw new Fault('internal', 'this host cannot run lanes');
}

/** For hosts without other agents, which cannot open lanes. */
export const NO_LANES: LanePort = Object.freeze({
  spawn: async () => refuseLane(),
  end: async () => refuseLane(),
  endOpen: async () => undefined,
  claimCall: () => null,
  ancestry: refuseLane,
});

/** The names of the agents that work in a lane: its own and those above it. Empty for a run that is not a lane. */
export const workersOf = ({ laneContext }: RunState): readonly string[] =>
  laneContext === undefined ? [] : [...new Set([...laneContext.path, laneContext.agent])];
