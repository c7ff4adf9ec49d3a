import { type Timed, timeFault } from '../ports/answer-time.ts';

/** The time that whoever is asked was given, as far as it was. Nonsense is refused here, and not when it would end nothing. */
export function timeOf(of: string, { timeoutMs }: Timed): Timed {
  const fault = timeFault(of, '', { timeoutMs });
  if (fault !== null) throw fault;
  return timeoutMs === undefined ? {} : { timeoutMs };
}
