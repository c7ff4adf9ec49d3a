import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import { reasonOf } from '../../model/printable.ts';

/** After so many outputs everybody else has a turn: a stream that is always ready would keep every clock from ticking. */
const OUTPUTS_IN_A_ROW = 100;

/**
 * What a tool returned in the end: of a stream of outputs each stands for the one before it, so the last one counts. A
 * call that is called back waits for no further output, and its stream is told to stop.
 */
export async function lastOutput(output: unknown, signal: AbortSignal): Promise<unknown> {
  if (!isAsyncIterable(output)) return await output;
  const stream = output[Symbol.asyncIterator]();
  const recalled = whenAborted(signal);
  let last: unknown;
  for (let count = 1; ; count += 1) {
    const next = await Promise.race([stream.next(), recalled]);
    if (next === RECALLED || signal.aborted) {
      // A stream in the middle of something may never come to its end: nobody waits for it.
      void Promise.resolve(stream.return?.()).catch(() => undefined);
      throw new Fault('tool_failed', 'the call was called back while its output was streaming');
    }
    if (next.done === true) return last;
    last = next.value;
    if (count % OUTPUTS_IN_A_ROW === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const RECALLED = Symbol('recalled');

function whenAborted(signal: AbortSignal): Promise<typeof RECALLED> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(RECALLED);
    else signal.addEventListener('abort', () => resolve(RECALLED), { once: true });
  });
}

/** The output as the AI SDK itself would pass it on, which is as JSON; nothing at all is an empty answer. */
export function plainJson(name: string, output: unknown): Json | undefined {
  if (output === undefined) return undefined;
  try {
    const text: string | undefined = JSON.stringify(output);
    if (text !== undefined) return JSON.parse(text) as Json;
  } catch (cause) {
    throw new Fault('tool_result_invalid', `${name} returned what is not JSON: ${reasonOf(cause)}`, { cause });
  }
  throw new Fault('tool_result_invalid', `${name} returned a ${typeof output}, which is not JSON`);
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
