import type { Json } from '../../model/json/json.ts';
import type { Wire } from './openai-wire.ts';
import { argsText, type ModelReply, piecesOf, type ServedRequest, servedText, USUAL_USAGE } from './served-turn.ts';

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  body: (reply, request) => ({
    ...head(reply, request),
    content: blocks(reply, request).map(({ block }) => block),
    stop_reason: stopOf(reply, request),
    stop_sequence: null,
    ...usageOf(reply),
  }),
  events: (reply, request) => {
    const started = { ...head(reply, request), content: [], stop_reason: null, stop_sequence: null, ...usageOf(reply) };
    const blockEvents = blocks(reply, request).flatMap(({ empty, deltas }, index) => [
      { type: 'content_block_start', index, content_block: empty },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]);
    const delta = { stop_reason: stopOf(reply, request), stop_sequence: null };
    const events = [
      { type: 'message_start', message: started },
      ...blockEvents,
      { type: 'message_delta', delta, ...usageOf(reply) },
      { type: 'message_stop' },
    ];
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  },
  error: (status, message) => ({ type: 'error', error: { type: errorType(status), message } }),
};

function head(reply: ModelReply, { body }: ServedRequest): object {
  return { id: 'msg_1', type: 'message', role: 'assistant', model: reply.model ?? body['model'] };
}

/** A complete content block, and the same block as an empty one plus deltas. */
interface Block {
  readonly block: object;
  readonly empty: object;
  readonly deltas: readonly object[];
}

function blocks(reply: ModelReply, request: ServedRequest): readonly Block[] {
  const { reasoning, calls = [] } = reply;
  const thought = reasoning === undefined ? [] : [thinking(reasoning)];
  // A request that forces the tool `json` is answered by a call of it.
  const answer =
    reply.json !== undefined && isHeldByTool(request)
      ? [toolUse('toolu_json', 'json', reply.json)]
      : servedText(reply) === ''
        ? []
        : [text(servedText(reply))];
  return [...thought, ...answer, ...calls.map(({ tool, args }, place) => toolUse(`toolu_${place + 1}`, tool, args))];
}

function text(content: string): Block {
  const deltas = piecesOf(content).map((piece) => ({ type: 'text_delta', text: piece }));
  return { block: { type: 'text', text: content }, empty: { type: 'text', text: '' }, deltas };
}

function thinking(content: string): Block {
  const deltas = [
    { type: 'thinking_delta', thinking: content },
    { type: 'signature_delta', signature: 'sig' },
  ];
  const block = { type: 'thinking', thinking: content, signature: 'sig' };
  return { block, empty: { type: 'thinking', thinking: '', signature: '' }, deltas };
}

function toolUse(id: string, name: string, input: Json): Block {
  const deltas = piecesOf(argsText(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  return { block: { type: 'tool_use', id, name, input }, empty: { type: 'tool_use', id, name, input: {} }, deltas };
}

function isHeldByTool({ body }: ServedRequest): boolean {
  const choice = body['tool_choice'];
  return typeof choice === 'object' && choice !== null && Reflect.get(choice, 'name') === 'json';
}

function stopOf({ finish, calls = [], json }: ModelReply, request: ServedRequest): string {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'refusal') return 'refusal';
  return calls.length > 0 || (json !== undefined && isHeldByTool(request)) ? 'tool_use' : 'end_turn';
}

const usageOf = ({ usage = USUAL_USAGE }: ModelReply): object => (usage === null ? {} : { usage });

function errorType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  if (status === 529) return 'overloaded_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
