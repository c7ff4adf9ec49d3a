import { Fault } from '../../src/model/fault.ts';

/** The Fault that an attempt is refused with. Anything else that is thrown, or nothing at all, fails the test. */
export function faultOf(attempt: () => unknown): Fault {
  try {
    attempt();
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
