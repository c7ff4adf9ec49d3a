import { FAULTS, type FaultCode } from './fault-table.ts';

export type { FaultCode } from './fault-table.ts';

/**
 * The only error that Ambit throws. It carries a code from the closed table and, if there is one, the JSON Pointer of
 * the wrong value. State never travels on an error.
 */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly path: string | undefined;

  constructor(code: FaultCode, message: string, options?: { readonly path?: string; readonly cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options?.path;
  }

  get retryable(): boolean {
    return FAULTS[this.code].retryable;
  }

  /** Compares the shape instead of using `instanceof`, because a process may hold two copies of this package. */
  static is(error: unknown): error is Fault {
    try {
      return (
        error instanceof Error &&
        error.name === 'Fault' &&
        'code' in error &&
        typeof error.code === 'string' &&
        Object.hasOwn(FAULTS, error.code)
      );
    } catch {
      // Foreign code can throw a value that itself throws when it is read. Such a value is not a Fault.
      return false;
    }
  }
}

/**
 * Makes the fault for a value outside its closed union. The parameter is `never`, so that the compiler reports every
 * switch that misses a member; unchecked data reaches it too and has no effect.
 */
export function unknownVariant(value: never, path: string): Fault {
  return new Fault('event_invalid', `${JSON.stringify(value)} is not one of the known values`, { path });
}
