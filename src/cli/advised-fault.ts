import { Fault, type FaultCode } from '../index.ts';

/** What the runtime refuses, with what to type instead: only the command line knows which of its commands helps. */
export class AdvisedFault extends Fault {
  readonly fix: string;

  constructor(code: FaultCode, message: string, advice: { fix: string; cause: unknown }) {
    super(code, message, { cause: advice.cause });
    this.fix = advice.fix;
  }
}
