import { Fault } from './fault.ts';

/**
 * Makes the fault for a value outside its closed union. The parameter is `never`, so that the compiler reports every
 * switch that misses a member; unchecked data reaches it too and has no effect.
 */
export function unknownVariant(value: never, path: string): Fault {
  return new Fault('event_invalid', `${JSON.stringify(value)} is not one of the known values`, { path });
}
