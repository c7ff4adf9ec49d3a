import { answerTextReader, endingPiece } from '../model/events/answer-text.ts';
import { Fault } from '../model/fault/fault.ts';
import type { JsonObject } from '../model/json/json.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable, reasonOf } from '../model/json/printable.ts';
import { unknownNames } from '../model/text/nearest.ts';
import type { RunOutcome } from '../session/outcome.ts';
import { readSignal } from '../session/read-input.ts';
import type { WatchedEvent, WatchOptions } from '../session/watch.ts';
import type { TakenBy } from './sessions/thread-messages.ts';

/** A run that was started: an id, a position in the journal, and the promise of an outcome. */
export interface RunHandle<Output = unknown> {
  readonly id: string;
  /**
   * The id of the run that has taken the message, once that is durable: this run, or the run of its thread whose question
   * the message answers. Events, text and outcome are of that run.
   */
  readonly runId: Promise<string>;
  /** Resolves when the run waits for people or has ended. */
  readonly settled: Promise<RunOutcome<Output>>;
  /** The stored events from the first one on, until the run has settled. */
  readonly events: AsyncIterable<WatchedEvent>;
  /**
   * The text of the answer, piece by piece, until the run has settled. A yielded piece does not change any more. A run
   * that ends without an answer yields how it ended, as `outcome.text` does.
   */
  readonly text: AsyncIterable<string>;
  /** The stored events after a cursor, until the run has ended. `sessions.watch` does the same in any process. */
  eventsAfter(cursor: string): AsyncIterable<WatchedEvent>;
  /** The packet that a gate of the run shows, by its hash. */
  packet(packetHash: string): Promise<JsonObject>;
  /** Ends the run as `USER_CANCEL`, on behalf of its requester. A run that has ended keeps its ending. */
  cancel(reason: string): Promise<RunOutcome<Output>>;
}

export interface StartOptions {
  /** Cancels the run when it aborts before the run has settled. */
  readonly signal?: AbortSignal;
}

export interface StartArguments {
  readonly agent?: string;
  readonly request: unknown;
  readonly signal?: AbortSignal;
}

/** Rejects unknown options, because a misspelt `signal` would never cancel the run. */
function readOptions(options: unknown): StartOptions {
  if (options === undefined) return {};
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new Fault('input_invalid', 'the options must be an object, such as { signal }', { path: '/options' });
  const unknown = unknownNames(options, ['signal']);
  if (unknown !== null)
    throw new Fault('input_invalid', `start: ${unknown.message}`, { path: `/options${pointerToken(unknown.first)}` });
  return options as StartOptions;
}

/** Reads the arguments of `start` and `invoke`: a request, or the name of an agent and a request, and then options. */
export function readStartArguments([first, ...rest]: readonly unknown[]): StartArguments {
  const [request, options] = typeof first === 'string' ? rest : [first, ...rest];
  if (request === undefined) {
    const form =
      typeof first === 'string' ? `start('${printable(first)}', { message, user })` : 'start({ message, user })';
    throw new Fault('input_invalid', `the request is missing: ${form}`, { path: '/request' });
  }
  const { signal } = readOptions(options);
  const named = typeof first === 'string' ? { agent: first } : {};
  return { ...named, request, ...(signal === undefined ? {} : { signal: readSignal(signal) }) };
}

export interface RunHandleDeps {
  readonly id: string;
  /** Resolves when the message is in the journal, with the run that has taken it. */
  readonly begun: Promise<TakenBy>;
  readonly settled: Promise<RunOutcome>;
  readonly watch: (runId: string, how: WatchOptions) => AsyncIterable<WatchedEvent>;
  readonly packet: (packetHash: string) => Promise<JsonObject>;
  readonly cancel: (runId: string, reason: string) => Promise<RunOutcome>;
  readonly outcome: (runId: string) => Promise<RunOutcome>;
}

export function createRunHandle(deps: RunHandleDeps, signal: AbortSignal | undefined): RunHandle {
  const { id, begun, settled, watch } = deps;
  const idle = new AbortController();
  const setIdle = (): void => idle.abort();
  settled.then(setIdle, setIdle);

  const events = iterable(async function* untilSettled(stopped) {
    const { runId: taken, after } = await begun;
    yield* watch(taken, { idle: idle.signal, signal: stopped, ...(after === undefined ? {} : { after }) });
    if (stopped.aborted) return;
    // A run that this process could not drive on rejects here as it does in `settled`.
    await settled;
  });

  const cancel: RunHandle['cancel'] = async (reason) => {
    const { runId: taken } = await begun;
    try {
      return await deps.cancel(taken, reason);
    } catch (error) {
      const outcome = Fault.is(error) ? await deps.outcome(taken) : null;
      if (outcome === null || outcome.terminalCode === null) throw error;
      return outcome;
    }
  };

  if (signal !== undefined) cancelOnAbort(signal, cancel, settled);
  const runId = begun.then((taken) => taken.runId);
  runId.catch(() => undefined);
  return Object.freeze({
    id,
    runId,
    settled,
    events,
    text: {
      async *[Symbol.asyncIterator]() {
        const read = answerTextReader();
        let released = '';
        for await (const { event } of events) {
          const piece = read(event);
          if (piece === null) continue;
          released += piece;
          yield piece;
        }
        const last = endingPiece(released, await settled);
        if (last !== null) yield last;
      },
    },
    eventsAfter: (cursor: string) =>
      iterable(async function* untilEnded(stopped) {
        yield* watch((await begun).runId, { after: cursor, signal: stopped });
      }),
    packet: deps.packet,
    cancel,
  });
}

/**
 * An iterable that can be read several times, each time from its start. `return()` also ends a `next()` that waits for
 * the next event, so that a reader which leaves does not wait for the run.
 */
const iterable = <T>(read: (stopped: AbortSignal) => AsyncGenerator<T, void, void>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => {
    const stop = new AbortController();
    const values = read(stop.signal);
    return {
      next: () => values.next(),
      return: (): Promise<IteratorResult<T, void>> => {
        stop.abort();
        return values.return();
      },
    };
  },
});

function cancelOnAbort(signal: AbortSignal, cancel: RunHandle['cancel'], settled: Promise<RunOutcome>): void {
  // The run may end before the cancellation arrives; `settled` then tells its outcome.
  const onAbort = (): void => void cancel(reasonOf(signal.reason)).catch(() => undefined);
  const remove = (): void => signal.removeEventListener('abort', onAbort);
  signal.addEventListener('abort', onAbort, { once: true });
  settled.then(remove, remove);
}
