import { argsText, type ModelReply, piecesOf, type ServedRequest, servedText, USUAL_USAGE } from './served-turn.ts';

/** The format of one provider's API. */
export interface Wire {
  /** The complete answer as one JSON body. */
  body(reply: ModelReply, request: ServedRequest): unknown;
  /** The same answer as server-sent events, as text. */
  events(reply: ModelReply, request: ServedRequest): readonly string[];
  error(status: number, message: string): unknown;
}

/** OpenAI's chat completions, which local servers speak too. */
export const openaiWire: Wire = {
  body: (reply, request) => ({
    ...head(reply, request, 'chat.completion'),
    choices: [{ index: 0, message: message(reply), finish_reason: finishOf(reply) }],
    ...usageOf(reply),
  }),
  events: (reply, request) => {
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      ...head(reply, request, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason }],
    });
    const key = reply.finish === 'refusal' ? 'refusal' : 'content';
    const thoughts = reply.reasoning === undefined ? [] : [chunk({ reasoning_content: reply.reasoning })];
    const parts = piecesOf(servedText(reply)).map((piece) => chunk({ [key]: piece }));
    const calls = toolCalls(reply).map((call, index) => chunk({ tool_calls: [{ index, ...call }] }));
    const last = { ...chunk({}, finishOf(reply)), ...usageOf(reply) };
    const events = [chunk({ role: 'assistant', content: '' }), ...thoughts, ...parts, ...calls, last];
    return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
  },
  error: (status, reply) => ({
    error: { message: reply, type: status === 429 ? 'rate_limit_error' : 'api_error', code: null },
  }),
};

function head(reply: ModelReply, { body }: ServedRequest, object: string): object {
  return { id: 'chatcmpl-1', object, created: 1_777_890_000, model: reply.model ?? body['model'] };
}

function message(reply: ModelReply): object {
  const text = servedText(reply);
  const calls = toolCalls(reply);
  return {
    role: 'assistant',
    content: reply.finish === 'refusal' || (text === '' && calls.length > 0) ? null : text,
    ...(reply.finish === 'refusal' ? { refusal: text } : {}),
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toolCalls({ calls = [] }: ModelReply): readonly object[] {
  return calls.map(({ tool, args }, place) => ({
    id: `call_${place + 1}`,
    type: 'function',
    function: { name: tool, arguments: argsText(args) },
  }));
}

function finishOf({ finish, calls = [] }: ModelReply): string {
  if (finish === 'length') return 'length';
  return finish === undefined && calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage = USUAL_USAGE }: ModelReply): object {
  if (usage === null) return {};
  const { input_tokens, output_tokens } = usage;
  const total_tokens = input_tokens + output_tokens;
  return { usage: { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens } };
}
