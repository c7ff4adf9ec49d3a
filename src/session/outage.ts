import type { Turn } from '../kernel/turn.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';

/** Nothing was stored, and it is certain that nothing was: only then may something else be written instead. */
export function isOutage(error: unknown): error is Fault {
  return Fault.is(error) && (error.code === 'store_unavailable' || error.code === 'checkpoint_write_failed');
}

/** The same failure, called by what it cost: a verdict whose checkpoint could not be written does not stand. */
export function costOf<E>(error: E, { checkpoints }: Turn): E | Fault {
  if (!isOutage(error) || checkpoints.length === 0) return error;
  return new Fault('checkpoint_write_failed', `a verdict could not be recorded: ${error.message}`, { cause: error });
}

/** How a run ends whose next step could not be recorded. */
export function unavailable(fault: Fault): EventBody {
  const detail = { dependency: 'journal', message: fault.message };
  return { type: 'stop_raised', stop: { code: 'UNAVAILABLE_DEP', reason: fault.code, detail } };
}
