import { FAULTS, type FaultCode } from './fault-table.ts';

export type { FaultCode } from './fault-table.ts';

/**
 * The only error this product throws. It carries a code from the closed table and, where there is one,
 * the JSON Pointer of the place that is wrong. State never travels on an error.
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

  /** By shape, not by `instanceof`: two copies of this package in one process must understand each other. */
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
      // A stranger's code can throw what throws in its turn when it is looked at. That is no Fault of ours.
      return false;
    }
  }
}
