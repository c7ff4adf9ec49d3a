import { Fault, type FaultCode } from '../../model/fault.ts';
import type { ModelFailure } from '../../model/model-call.ts';

/** What may be otherwise in a moment: a connection that failed, a time that ran out, a service that is busy. */
const RETRIABLE: Partial<Readonly<Record<FaultCode, string>>> = {
  model_unreachable: 'The model service cannot be reached at the moment.',
  model_overloaded: 'The model service is busy at the moment.',
  model_timeout: 'The model service did not answer in time.',
};

const CRITICAL: Partial<Readonly<Record<FaultCode, string>>> = {
  model_refused: 'The model declined to answer.',
  model_misconfigured: 'The model is not set up correctly.',
  budget_exhausted: 'Not enough is left to ask the model.',
};

/** Values and types that do not fit, on either side: asked the same way, the same would happen again. */
const OTHERWISE = 'The model service did not understand the request, or its answer cannot be used.';

export function classify({ code }: Fault): ModelFailure {
  const soon = RETRIABLE[code];
  if (soon !== undefined) return { code, severity: 'RETRIABLE', user_message: soon };
  return { code, severity: 'CRITICAL', user_message: CRITICAL[code] ?? OTHERWISE };
}

/** The fault as it leaves the desk: with words for the user first, and those for whoever looks into it after them. */
export function passedOn(fault: Fault): Fault {
  return new Fault(fault.code, `${classify(fault).user_message} (${fault.message})`, { cause: fault });
}
