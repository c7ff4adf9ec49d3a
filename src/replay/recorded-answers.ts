import type { Derived } from '../kernel/derive.ts';
import type { LocalEffect, LocalKind } from '../kernel/effect-kinds.ts';
import type { EventType, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';

/** Which recorded events can be the answer to what was asked on the spot. */
const ANSWERS: Readonly<Record<LocalKind, readonly EventType[]>> = {
  classify_intent: ['intent_classified', 'stop_raised'],
  resolve_scope: ['scope_resolved', 'stop_raised'],
  check_policy: ['policy_checked', 'stop_raised'],
  init_run: ['run_initialized', 'stop_raised'],
  clear_step: ['step_cleared', 'step_refused', 'stop_raised'],
  propose_compensation: ['compensation_proposed', 'stop_raised'],
  compile_response: ['response_compiled', 'stop_raised'],
  propose_memory: ['memory_proposed', 'stop_raised'],
};

export interface RecordedAnswers {
  /** `folded` events of the frame have been taken by then: none of them can be the answer to what is only asked now. */
  take(effect: LocalEffect, folded: number): Derived;
}

/** The answers of the rooms, as a frame holds them, each given once and in order. */
export function recordedAnswers(events: readonly RunEvent[], seq: number): RecordedAnswers {
  let place = 0;
  return {
    take: (effect, folded) => {
      place = Math.max(place, folded);
      const found = events.findIndex((event, index) => index >= place && ANSWERS[effect.kind].includes(event.type));
      const event = events[found];
      if (event === undefined) {
        throw new Fault('replay_input_missing', `frame ${seq}: the answer to ${effect.kind} is not recorded`);
      }
      place = found + 1;
      const { at: _, ...body } = event;
      return { event: body as Derived['event'], blobs: [] };
    },
  };
}
