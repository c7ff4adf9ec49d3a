import type { UIMessageChunk } from 'ai';
import { answerTextReader, type EndedRun, endingPiece } from '../../../model/events/answer-text.ts';
import type { EventOf, RunEvent } from '../../../model/events/event.ts';
import { Fault } from '../../../model/fault/fault.ts';
import { FAULTS } from '../../../model/fault/fault-table.ts';
import { guardInput } from '../../../model/fault/guard-input.ts';
import { printable } from '../../../model/json/printable.ts';
import type { SessionStatus } from '../../../model/run/session-status.ts';
import { WAIT_TEXTS, waitKind } from '../../../model/run/wait-text.ts';
import { assertCursor, isAfter } from './cursor.ts';
import { gateParts } from './gate-parts.ts';
import { toolParts } from './tool-parts.ts';
import type { UIContent, UIRun, UIRunOutcome } from './ui-run.ts';

export interface UIMessageStreamOptions extends UIContent {
  /** The cursor of the last event that the client has seen. The stream continues after it. */
  readonly after?: string | undefined;
  /** The id of the message. Default: the id of the run, so that all streams of a run update one message. */
  readonly messageId?: string;
  /** Ends the stream when it aborts, such as `request.signal`. */
  readonly signal?: AbortSignal;
  /** `cancel` cancels the run when the client leaves before the end of the stream. By default the run continues. */
  readonly onDisconnect?: 'continue' | 'cancel';
  /** Returns the text of an error that stopped the stream. Default: the fault's message, except for faults of the host. */
  readonly onError?: (error: unknown) => string;
}

/**
 * Streams a run as an AI SDK message, until the run waits for people or has ended. The stream reads the journal, so a
 * slow or lost reader does not affect the run.
 */
export const toUIMessageStream: (run: UIRun, options?: UIMessageStreamOptions) => ReadableStream<UIMessageChunk> =
  guardInput(
    'toUIMessageStream',
    (run: UIRun, options: UIMessageStreamOptions = {}): ReadableStream<UIMessageChunk> => {
      return streamOf(run, options, ({ chunk }) => chunk);
    },
  );

/** The chunks of {@link toUIMessageStream} as an HTTP response. Each event id is a cursor for `after`. */
export const toUIMessageStreamResponse: (
  run: UIRun,
  input1?: UIMessageStreamOptions & { readonly headers?: Readonly<Record<string, string>> },
) => Response = guardInput(
  'toUIMessageStreamResponse',
  (
    run: UIRun,
    { headers, ...options }: UIMessageStreamOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
  ): Response => {
    const frames = streamOf(run, options, frameOf, 'data: [DONE]\n\n');
    return new Response(frames.pipeThrough(new TextEncoderStream()), { headers: { ...headers, ...STREAM_HEADERS } });
  },
);

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-vercel-ai-ui-message-stream': 'v1',
  // Some proxies collect a response before they pass it on, unless this header forbids it.
  'x-accel-buffering': 'no',
} as const;

/** A chunk; the last one of an event has the cursor of the event. */
interface Placed {
  readonly chunk: UIMessageChunk;
  readonly cursor?: string;
}

const frameOf = ({ chunk, cursor }: Placed): string =>
  `${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${JSON.stringify(chunk)}\n\n`;

function streamOf<T>(
  run: UIRun,
  options: UIMessageStreamOptions,
  form: (placed: Placed) => T,
  last?: T,
): ReadableStream<T> {
  assertOptions(options);
  const { signal, onDisconnect } = options;
  const finished = new AbortController();
  const events = run.events[Symbol.asyncIterator]();
  const chunks = chunksOf(run, { [Symbol.asyncIterator]: () => events }, options);
  const leave = async (): Promise<void> => {
    // Not awaited: the iterator may be in the middle of a read.
    void Promise.resolve(events.return?.()).catch(() => undefined);
    if (onDisconnect === 'cancel') await run.cancel('the client disconnected').catch(() => undefined);
  };
  return new ReadableStream<T>(
    {
      start: (controller) => {
        const onAbort = (): void => {
          void leave();
          controller.error(signal?.reason);
        };
        if (signal?.aborted === true) onAbort();
        else signal?.addEventListener('abort', onAbort, { once: true, signal: finished.signal });
      },
      pull: async (controller) => {
        const next = await chunks.next();
        if (signal?.aborted === true) return;
        if (next.done !== true) return controller.enqueue(form(next.value));
        // A signal that aborts after the end is about another request on the same connection.
        finished.abort();
        if (last !== undefined) controller.enqueue(last);
        controller.close();
      },
      cancel: async () => {
        finished.abort();
        await leave();
      },
    },
    // The stream reads ahead only when the client asks for more.
    { highWaterMark: 0 },
  );
}

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  toolOutputs: ['none', 'shown'],
  approvals: ['none', 'shown'],
  onDisconnect: ['continue', 'cancel'],
};
const OPTIONS: ReadonlySet<string> = new Set([...Object.keys(CHOICES), 'after', 'messageId', 'signal', 'onError']);

/** Rejects unknown options. A misspelt option could show more than the host intends. */
function assertOptions(options: UIMessageStreamOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const choices = CHOICES[name];
    if (value === undefined) continue;
    const path = `/${name}`;
    if (!OPTIONS.has(name)) throw new Fault('input_invalid', `there is no option ${printable(name)}`, { path });
    if (choices !== undefined && !choices.includes(value)) {
      throw new Fault('input_invalid', `${name} must be ${choices.join(' or ')}`, { path });
    }
  }
  if (options.after !== undefined) assertCursor(options.after);
}

async function* chunksOf(
  run: UIRun,
  events: AsyncIterable<{ readonly cursor: string; readonly event: RunEvent }>,
  options: UIMessageStreamOptions,
): AsyncGenerator<Placed, void, void> {
  const { after, messageId = run.id } = options;
  const tools = toolParts(options.toolOutputs ?? 'none');
  const readGates = gateParts({ tools, packet: (hash) => run.packet(hash), areShown: options.approvals !== 'none' });
  const texts = textParts();
  let position = after;
  yield { chunk: { type: 'start', messageId, messageMetadata: { runId: run.id } } };
  try {
    for await (const { event, cursor } of events) {
      const isNew = after === undefined || isAfter(cursor, after);
      const decided = await readGates(event, cursor);
      const ended = event.type === 'run_terminated' ? await run.settled : null;
      const chunks = [...decided, ...tools.read(event), ...texts.read({ event, cursor, isNew, ended })];
      if (!isNew) continue;
      position = cursor;
      for (const [index, chunk] of chunks.entries()) {
        yield index === chunks.length - 1 ? { chunk, cursor } : { chunk };
      }
    }
    const outcome = await run.settled;
    const waiting = position === after ? [] : waitingPart(outcome, options, position);
    for (const chunk of [...texts.end(), ...waiting, ...ending(run, outcome, options, position)]) yield { chunk };
  } catch (error) {
    yield { chunk: { type: 'error', errorText: (options.onError ?? readableError)(error) } };
  }
}

/** An event, and the outcome if the event ends the run. */
interface TextEvent {
  readonly event: RunEvent;
  readonly cursor: string;
  /** False for an event that the client has seen. */
  readonly isNew: boolean;
  readonly ended: EndedRun | null;
}

/** The answer as one text part per stream, one sentence per delta, and each question as a part of its own. */
function textParts(): {
  read(step: TextEvent): readonly UIMessageChunk[];
  end(): readonly UIMessageChunk[];
} {
  const answer = answerTextReader();
  let id: string | null = null;
  let released = '';
  return {
    read: ({ event, cursor, isNew, ended }) => {
      if (event.type === 'question_asked') return question(event);
      const piece = answer(event);
      released += piece ?? '';
      const delta = piece ?? (ended === null ? null : endingPiece(released, ended));
      if (delta === null || !isNew) return [];
      const start: UIMessageChunk[] = id === null ? [{ type: 'text-start', id: `text-${cursor}` }] : [];
      id ??= `text-${cursor}`;
      return [...start, { type: 'text-delta', id, delta }];
    },
    end: () => (id === null ? [] : [{ type: 'text-end', id }]),
  };
}

/** The question as a text for the user, and as data for a form. */
function question({ question_id, fields, readings }: EventOf<'question_asked'>): readonly UIMessageChunk[] {
  const id = `question-${question_id}`;
  const delta = readings.length > 0 ? readings.join('\n') : `Please state: ${fields.join(', ')}.`;
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
    { type: 'data-question', id: question_id, data: { questionId: question_id, fields, readings } },
  ];
}

/** Says whom an open run waits for, unless the message already asks for the decision. */
function waitingPart(
  outcome: UIRunOutcome,
  { approvals }: UIContent,
  cursor: string | undefined,
): readonly UIMessageChunk[] {
  const kind = waitKind(outcome);
  if (kind === null || (kind === 'approval' && approvals !== 'none')) return [];
  const id = `wait-${cursor}`;
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: WAIT_TEXTS[kind] },
    { type: 'text-end', id },
  ];
}

type FinishReason = Extract<UIMessageChunk, { readonly type: 'finish' }>['finishReason'];

/**
 * The finish reason of each status. A run that failed finishes with `error`, and a cancelled one with an abort. A run
 * whose request is impossible has not failed for its user. The text of each is the reply.
 */
const FINISH: Readonly<Record<Exclude<SessionStatus, 'failed' | 'expired' | 'cancelled'>, FinishReason>> = {
  in_progress: 'other',
  awaiting_gate: 'tool-calls',
  paused: 'other',
  completed: 'stop',
  rejected: 'other',
};

function ending(
  { id: runId }: UIRun,
  { status, terminalCode, reason, why, usage, text }: UIRunOutcome,
  { toolOutputs }: UIContent,
  cursor: string | undefined,
): readonly UIMessageChunk[] {
  const { inputTokens, outputTokens, usd, toolCalls } = usage;
  const messageMetadata = {
    runId,
    status,
    terminalCode,
    reason,
    usage: { inputTokens, outputTokens, usd, toolCalls },
    // The reasons may quote a tool.
    ...(toolOutputs === 'shown' ? { why } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const words = text ?? 'The run has ended.';
  if (terminalCode === 'IMPOSSIBLE' && text !== null)
    return [{ type: 'finish', finishReason: 'stop', messageMetadata }];
  switch (status) {
    case 'failed':
    case 'expired': {
      const isDetailed = toolOutputs === 'shown' && why.length > 0;
      // The text was sent as the reply, so an error would show it again.
      if (text !== null && !isDetailed) return [{ type: 'finish', finishReason: 'error', messageMetadata }];
      // A client stops at an error, so the metadata comes first.
      return [
        { type: 'message-metadata', messageMetadata },
        { type: 'error', errorText: isDetailed ? why.join('\n') : words },
      ];
    }
    case 'cancelled':
      return [
        { type: 'message-metadata', messageMetadata },
        { type: 'abort', reason: words },
      ];
    default:
      return [{ type: 'finish', finishReason: FINISH[status] ?? 'other', messageMetadata }];
  }
}

/** Faults of the host, such as a store that fails, may name files and machines. */
function readableError(error: unknown): string {
  return Fault.is(error) && FAULTS[error.code].http < 500 ? error.message : 'The run could not be continued.';
}
