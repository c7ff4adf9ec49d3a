import type { Derived } from '../../kernel/derive.ts';
import type { CallName } from '../../kernel/lanes/doubted.ts';
import type { RunState } from '../../kernel/state.ts';
import type { EffectOf } from '../../model/effect.ts';
import { Fault } from '../../model/fault.ts';

/** Who runs the lanes of a run. Each answer is how the lane stands: it has ended, or it waits for people. */
export interface LanePort {
  spawn(state: RunState, effect: EffectOf<'spawn_lane'>, recall: AbortSignal): Promise<Derived>;
  end(state: RunState, effect: EffectOf<'end_lane'>): Promise<Derived>;
  /** The run of the same family that has a call out, or is about to; null where the lane may make it. */
  outElsewhere(lane: RunState, call: CallName): string | null;
}

function nobody(): never {
  throw new Fault('internal', 'nobody runs lanes here');
}

/** For hosts that stand alone, without the others that their lanes would need. */
export const NO_LANES: LanePort = Object.freeze({
  spawn: async () => nobody(),
  end: async () => nobody(),
  outElsewhere: () => null,
});
