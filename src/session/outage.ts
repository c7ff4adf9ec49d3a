import type { Turn } from '../kernel/index.ts';
import type { EventBody } from '../model/events/event.ts';
import { Fault } from '../model/fault/fault.ts';

/**
 * Returns whether an error means that nothing was stored for certain. Only then may another frame be written instead.
 */
export function isOutage(error: unknown): error is Fault {
  return Fault.is(error) && (error.code === 'store_unavailable' || error.code === 'checkpoint_write_failed');
}

/** Reports an outage as `checkpoint_write_failed` if the turn had a verdict: it needs its checkpoint. */
export function toCheckpointFault<E>(error: E, { checkpoints }: Turn): E | Fault {
  if (!isOutage(error) || checkpoints.length === 0) return error;
  return new Fault('checkpoint_write_failed', `a verdict could not be recorded: ${error.message}`, { cause: error });
}

/** The event that ends a run whose next step could not be recorded. */
export function dependencyUnavailable(fault: Fault): EventBody {
  const detail = { dependency: 'journal', message: fault.message };
  return { type: 'stop_raised', stop: { code: 'UNAVAILABLE_DEP', reason: fault.code, detail } };
}
