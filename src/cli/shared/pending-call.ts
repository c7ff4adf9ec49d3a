import type { Ambit } from '../../index.ts';
import type { DescribedAgent, RunEvent } from '../../records.ts';
import { argument, type Call } from '../command.ts';
import { formatInstant, formatRelative } from '../views/format.ts';
import { readEvents } from './read-run.ts';

type Tool = DescribedAgent['tools'][number];

/** A call that a dead process sent and that may still arrive until `until`. */
export interface PendingCall {
  readonly tool: string;
  readonly stepId: string;
  readonly until: number;
}

/** Finds the call that a resume has to wait for. */
export function findPendingCall(events: readonly RunEvent[], tools: readonly Tool[], now: number): PendingCall | null {
  const at = events.findLastIndex(({ type }) => type === 'step_attempted');
  const sent = events[at];
  if (sent?.type !== 'step_attempted') return null;
  const until = sent.dispatch_before + sent.timeout_ms;
  if (until <= now || events.slice(at + 1).some((later) => 'call_id' in later && later.call_id === sent.call_id))
    return null;
  const tool = tools.find(({ name }) => name === sent.tool);
  return tool === undefined || !isAwaited(tool) ? null : { tool: sent.tool, stepId: sent.step_id, until };
}

/**
 * A resume repeats a call without side effects immediately. A side effect that can be neither repeated nor reconciled
 * goes to a person immediately.
 */
const isAwaited = ({ side_effect, idempotency, probes }: Tool): boolean =>
  side_effect && (idempotency.kind !== 'none' || probes?.reconcile !== undefined);

export const describePendingCall = ({ tool, stepId, until }: PendingCall, now: number): string =>
  `waiting for ${tool} (step ${stepId}): its process died, and the call may still arrive until ${formatInstant(until)}, ${formatRelative(until, now)}`;

/** Tells the user about the wait, which may last half a minute. */
export async function notePendingCall(call: Call, runtime: Ambit): Promise<void> {
  const tools = runtime.agents.list().flatMap((agent) => agent.tools);
  const pending = findPendingCall(await readEvents(runtime, argument(call, 'session')), tools, Date.now());
  if (pending !== null) call.terminal.note((paint) => paint('quiet', describePendingCall(pending, Date.now())));
}

/** Skips the note if another process drives the session and therefore waits itself. */
export async function notePendingCallUnlessDriven(call: Call, runtime: Ambit): Promise<void> {
  if ((await runtime.sessions.driver(argument(call, 'session'))) === null) await notePendingCall(call, runtime);
}
