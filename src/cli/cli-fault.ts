import { Fault, type FaultCode } from '../index.ts';

/** A position in a source file of the user. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface FaultDetails {
  readonly place?: SourceLocation | null;
  /** The next command or the correction. */
  readonly fix?: string | null;
  /** The session that had started when the fault occurred. */
  readonly session?: string | null;
  readonly path?: string | undefined;
  readonly cause?: unknown;
}

/** A fault with details that only the command line knows: the source location, the fix and the session. */
export class CliFault extends Fault {
  readonly place: SourceLocation | null;
  readonly fix: string | null;
  readonly session: string | null;

  constructor(code: FaultCode, message: string, details: FaultDetails) {
    super(code, message, {
      ...(details.path === undefined ? {} : { path: details.path }),
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
    this.place = details.place ?? null;
    this.fix = details.fix ?? null;
    this.session = details.session ?? null;
  }
}
