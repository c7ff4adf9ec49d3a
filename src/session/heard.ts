import { assertNamed, isPersonalDecision } from '../kernel/decider.ts';
import type { EventBody, EventType } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import { plainly } from './given.ts';

/** What people and models can say to a run. Everything else is observed, derived or done by the loop itself. */
const SPOKEN: ReadonlySet<EventType> = new Set<EventType>([
  'question_answered',
  'escalation_decided',
  'budget_extended',
  'run_paused',
  'run_resumed',
  'run_cancelled',
  'run_steered',
  'proposal_made',
  'transition_requested',
]);

/** Takes what somebody says to a run, or refuses it before the run hears of it. */
export function heard(said: unknown): EventBody {
  const input = plainly(() => {
    assertSigned(said);
    assertNoGate(said);
    return parseEventBody(said);
  });
  if (!SPOKEN.has(input.type)) {
    throw new Fault('event_illegal', `${input.type} is not something that can be said; it has to happen`);
  }
  if (input.type === 'run_paused' && input.cause !== 'operator') {
    const message = `only an operator's pause can be asked for; ${input.cause} is something that has to happen`;
    throw new Fault('event_illegal', message, { path: '/cause' });
  }
  return input;
}

/** A gate is decided by somebody whose credential has been looked at, and no event can bring that along. */
function assertNoGate(said: unknown): void {
  if (typeof said !== 'object' || said === null || !('type' in said) || said.type !== 'gate_decided') return;
  throw new Fault('event_illegal', 'a gate is decided with approve, reject, edit or requestInfo');
}

/** That nobody has signed is a reason of its own, and said before anything else that may be wrong. */
function assertSigned(said: unknown): void {
  if (typeof said !== 'object' || said === null) return;
  const { type, approver, by } = said as Readonly<Record<string, unknown>>;
  if (isPersonalDecision(type)) assertNamed(type, type === 'gate_decided' ? approver : by);
}
