import { type Law, RUN_LAWS } from './law.ts';

/** Stop reasons that can only come from a defect in the code. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  'internal',
  'illegal_edge',
  'illegal_transition',
  'event_illegal',
  'event_invalid',
  'illegal_grounding_transition',
  'step_not_verified',
  'plan_not_verified',
  'loop_detected',
]);

/** A run never ends because of a defect in the code. */
export function noFaultOfItsOwn(): Law {
  return {
    name: RUN_LAWS.ownFault,
    event: ({ event }) => {
      if (event.type !== 'stop_raised' || !OWN_FAULTS.has(event.stop.reason)) return null;
      return `the run stopped itself with ${event.stop.reason}: ${JSON.stringify(event.stop.detail)}`;
    },
  };
}
