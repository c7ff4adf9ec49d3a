import { argsText, piecesOf, type Said, type ServedRequest, textOf, USUAL_USAGE } from './served-turn.ts';

/** What one server has to know of a wire. */
export interface Wire {
  /** The whole answer, as one JSON body. */
  body(said: Said, request: ServedRequest): unknown;
  /** The same as the events of a stream, each as it stands on the wire. */
  events(said: Said, request: ServedRequest): readonly string[];
  error(status: number, message: string): unknown;
}

/** Chat completions, as OpenAI defined them and local servers speak them. */
export const openaiWire: Wire = {
  body: (said, request) => ({
    ...head(said, request, 'chat.completion'),
    choices: [{ index: 0, message: message(said), finish_reason: finishOf(said) }],
    ...usageOf(said),
  }),
  events: (said, request) => {
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      ...head(said, request, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason }],
    });
    const key = said.finish === 'refusal' ? 'refusal' : 'content';
    const thoughts = said.reasoning === undefined ? [] : [chunk({ reasoning_content: said.reasoning })];
    const parts = piecesOf(textOf(said)).map((piece) => chunk({ [key]: piece }));
    const calls = toolCalls(said).map((call, index) => chunk({ tool_calls: [{ index, ...call }] }));
    const last = { ...chunk({}, finishOf(said)), ...usageOf(said) };
    const events = [chunk({ role: 'assistant', content: '' }), ...thoughts, ...parts, ...calls, last];
    return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
  },
  error: (status, said) => ({
    error: { message: said, type: status === 429 ? 'rate_limit_error' : 'api_error', code: null },
  }),
};

function head(said: Said, { body }: ServedRequest, object: string): object {
  return { id: 'chatcmpl-1', object, created: 1_777_890_000, model: said.model ?? body['model'] };
}

function message(said: Said): object {
  const text = textOf(said);
  const calls = toolCalls(said);
  return {
    role: 'assistant',
    content: said.finish === 'refusal' || (text === '' && calls.length > 0) ? null : text,
    ...(said.finish === 'refusal' ? { refusal: text } : {}),
    ...(said.reasoning === undefined ? {} : { reasoning_content: said.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toolCalls({ calls = [] }: Said): readonly object[] {
  return calls.map(({ tool, args }, place) => ({
    id: `call_${place + 1}`,
    type: 'function',
    function: { name: tool, arguments: argsText(args) },
  }));
}

function finishOf({ finish, calls = [] }: Said): string {
  if (finish === 'length') return 'length';
  return finish === undefined && calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage = USUAL_USAGE }: Said): object {
  if (usage === null) return {};
  const { input_tokens, output_tokens } = usage;
  const total_tokens = input_tokens + output_tokens;
  return { usage: { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens } };
}
