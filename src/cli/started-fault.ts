import { Fault, type FaultCode } from '../index.ts';

/** What went wrong with a run after it had begun: it is in the journal, and this is how somebody goes on with it. */
export class StartedFault extends Fault {
  readonly session: string;
  readonly fix: string;

  constructor(code: FaultCode, message: string, begun: { session: string; fix: string; cause: unknown }) {
    super(code, message, { cause: begun.cause });
    this.session = begun.session;
    this.fix = begun.fix;
  }
}
