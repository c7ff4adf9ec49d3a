import type { EventBody, EventType } from '../model/events/event.ts';
import { parseEventBody } from '../model/events/event-schema.ts';
import { Fault } from '../model/fault/fault.ts';
import { assertPersonName, isPersonalDecision } from '../model/gate/signing-text.ts';
import { readUntrusted } from '../session/read-input.ts';

/** The events that people and models may send to a run. The loop itself produces all others. */
const COMMANDS: ReadonlySet<EventType> = new Set<EventType>([
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

/** Parses an event that was sent to a run, and rejects it before the run receives it if it is not allowed. */
export function parseRunCommand(value: unknown): EventBody {
  const input = readUntrusted(() => {
    assertSigned(value);
    assertNoGate(value);
    return parseEventBody(value);
  });
  if (!COMMANDS.has(input.type)) {
    throw new Fault('event_illegal', `${input.type} cannot be sent; the runtime records it when it happens`);
  }
  if (input.type === 'run_paused' && input.cause !== 'operator') {
    const message = `only a pause with the cause operator can be sent; the runtime records ${input.cause} when it happens`;
    throw new Fault('event_illegal', message, { path: '/cause' });
  }
  return input;
}

/** Rejects gate decisions: they need an authenticated credential, which an event cannot carry. */
function assertNoGate(value: unknown): void {
  if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'gate_decided') return;
  throw new Fault(
    'event_illegal',
    'a gate decision cannot be sent as an event: use gates.approve, reject, edit or requestInfo',
  );
}

/** Rejects a decision without a name before any other check, with a fault of its own. */
function assertSigned(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, approver, by } = value as Readonly<Record<string, unknown>>;
  if (isPersonalDecision(type)) assertPersonName(type, type === 'gate_decided' ? approver : by);
}
