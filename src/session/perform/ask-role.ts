import type { Derived } from '../../kernel/index.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { ModelAccount, ModelClient, OpenModelClient } from '../../ports/model/language-model.ts';
import { type TimeLimited, timeLimitMs } from '../../ports/model/model-roles.ts';

/** The ports that a question to a model role needs. */
export interface RolePorts {
  readonly openModelClient: OpenModelClient;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** One question to a model role. */
export interface RoleQuestion<T> {
  readonly role: TimeLimited;
  /** The budget of the question. */
  readonly allowance: ToolCost;
  /** Runs the role's own code, which may throw. */
  readonly ask: (client: ModelClient, signal: AbortSignal) => Promise<T>;
  /** The result of an exception, a timeout or a cancellation. */
  readonly failed: (fault: Fault) => T;
}

export interface RoleAnswer<T> {
  readonly result: T;
  readonly account: ModelAccount;
}

/** Asks a model role once, within its budget and its time limit. The model client is closed afterwards. */
export async function askRole<T>(
  { openModelClient, clock, timer }: RolePorts,
  { role, allowance, ask, failed }: RoleQuestion<T>,
  recall: AbortSignal,
): Promise<RoleAnswer<T>> {
  const stop = new AbortController();
  const signal = AbortSignal.any([recall, stop.signal]);
  const { client, account } = openModelClient(allowance, signal);
  const timeoutMs = timeLimitMs(role);
  const late = timer.until(clock.nowMs() + timeoutMs, signal).then(() => failed(lateFault(timeoutMs, recall)));
  try {
    const result = await Promise.race([askSafely(() => ask(client, signal), failed), late]);
    return { result, account: account() };
  } finally {
    stop.abort();
  }
}

function lateFault(timeoutMs: number, recall: AbortSignal): Fault {
  const message = recall.aborted ? 'the question was called back' : `there was no answer within ${timeoutMs} ms`;
  return new Fault('model_timeout', message);
}

async function askSafely<T>(ask: () => Promise<T>, failed: (fault: Fault) => T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    return failed(Fault.is(error) ? error : new Fault('argument_invalid', reasonOf(error), { cause: error }));
  }
}

/** The failure of a role as events record it. */
export const recordedFailure = (fault: Fault): { readonly code: FaultCode; readonly message: string } => ({
  code: fault.code,
  message: reasonOf(fault),
});

/** The event of an answer, with the model calls behind it. */
export const answerEvent = (event: EventBody, { calls, blobs }: Pick<ModelAccount, 'calls' | 'blobs'>): Derived => ({
  event: calls.length === 0 ? event : ({ ...event, calls } as EventBody),
  blobs,
});
