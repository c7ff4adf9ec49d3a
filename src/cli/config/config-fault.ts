import { Fault, type FaultCode } from '../../index.ts';

/** A place in a file that somebody wrote. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a config, where it stands, and what to do about it. */
export class ConfigFault extends Fault {
  readonly place: Place | null;
  readonly fix: string | null;

  constructor(
    code: FaultCode,
    message: string,
    found: {
      readonly place?: Place | null;
      readonly fix?: string | null;
      readonly path?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(code, message, {
      ...(found.path === undefined ? {} : { path: found.path }),
      ...(found.cause === undefined ? {} : { cause: found.cause }),
    });
    this.place = found.place ?? null;
    this.fix = found.fix ?? null;
  }
}
