import { Fault } from '../../src/model/fault/fault.ts';

/** The Fault that the attempt throws. Fails the test if it throws anything else or nothing. */
export function faultOf(attempt: () => unknown): Fault {
  try {
    attempt();
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error('no fault was thrown');
}
