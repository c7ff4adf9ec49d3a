import type { TurnEnv } from '../kernel/turn.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';

/** Somebody stopped it, or the run that it works for has ended: either way no intent of it is stored. */
export const isKilled = (error: unknown): error is Fault =>
  Fault.is(error) && (error.code === 'kill_switch_on' || error.code === 'lane_parent_ended');

/** The same turn, with the word of whoever threw the switch where the gateway had let the call pass. */
export function refusing(turn: TurnEnv, { code, message }: Fault): TurnEnv {
  return {
    ...turn,
    local: (state, effect) => {
      if (effect.kind !== 'clear_step') return turn.local(state, effect);
      const { step_id } = effect;
      const event = { type: 'step_refused', step_id, layer: 'infrastructure', code, message, missing: [] } as const;
      return { event, blobs: [] };
    },
  };
}

/** How a run ends that would send a call again which has been stopped meanwhile. */
export function killed({ code, message }: Fault): EventBody {
  return { type: 'stop_raised', stop: { code: 'PERMISSION_DENIED', reason: code, detail: { message } } };
}
