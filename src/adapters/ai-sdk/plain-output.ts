import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import { reasonOf } from '../../model/printable.ts';

/** What a tool returned in the end: of a stream of outputs each stands for the one before it, so the last one counts. */
export async function lastOutput(output: unknown, signal: AbortSignal): Promise<unknown> {
  if (!isAsyncIterable(output)) return await output;
  let last: unknown;
  for await (const each of output) {
    if (signal.aborted) throw new Fault('tool_failed', 'the call was called back while its output was streaming');
    last = each;
  }
  return last;
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
