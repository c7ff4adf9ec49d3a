import type { Json } from '../../model/json.ts';
import type { Wire } from './openai-wire.ts';
import { argsText, piecesOf, type Said, type ServedRequest, textOf, USUAL_USAGE } from './served-turn.ts';

/** Messages, as Anthropic defined them. */
export const anthropicWire: Wire = {
  body: (said, request) => ({
    ...head(said, request),
    content: blocks(said, request).map(({ block }) => block),
    stop_reason: stopOf(said, request),
    stop_sequence: null,
    ...usageOf(said),
  }),
  events: (said, request) => {
    const started = { ...head(said, request), content: [], stop_reason: null, stop_sequence: null, ...usageOf(said) };
    const told = blocks(said, request).flatMap(({ empty, deltas }, index) => [
      { type: 'content_block_start', index, content_block: empty },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]);
    const delta = { stop_reason: stopOf(said, request), stop_sequence: null };
    const events = [
      { type: 'message_start', message: started },
      ...told,
      { type: 'message_delta', delta, ...usageOf(said) },
      { type: 'message_stop' },
    ];
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  },
  error: (status, message) => ({ type: 'error', error: { type: errorType(status), message } }),
};

function head(said: Said, { body }: ServedRequest): object {
  return { id: 'msg_1', type: 'message', role: 'assistant', model: said.model ?? body['model'] };
}

/** A block in one piece, and the same empty with the pieces that fill it. */
interface Block {
  readonly block: object;
  readonly empty: object;
  readonly deltas: readonly object[];
}

function blocks(said: Said, request: ServedRequest): readonly Block[] {
  const { reasoning, calls = [] } = said;
  const thought = reasoning === undefined ? [] : [thinking(reasoning)];
  // Whoever asks for JSON by way of a tool is answered by a call of it.
  const answer =
    said.json !== undefined && isHeldByTool(request)
      ? [toolUse('toolu_json', 'json', said.json)]
      : textOf(said) === ''
        ? []
        : [text(textOf(said))];
  return [...thought, ...answer, ...calls.map(({ tool, args }, place) => toolUse(`toolu_${place + 1}`, tool, args))];
}

function text(said: string): Block {
  const deltas = piecesOf(said).map((piece) => ({ type: 'text_delta', text: piece }));
  return { block: { type: 'text', text: said }, empty: { type: 'text', text: '' }, deltas };
}

function thinking(said: string): Block {
  const deltas = [
    { type: 'thinking_delta', thinking: said },
    { type: 'signature_delta', signature: 'sig' },
  ];
  const block = { type: 'thinking', thinking: said, signature: 'sig' };
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

function stopOf({ finish, calls = [], json }: Said, request: ServedRequest): string {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'refusal') return 'refusal';
  return calls.length > 0 || (json !== undefined && isHeldByTool(request)) ? 'tool_use' : 'end_turn';
}

const usageOf = ({ usage = USUAL_USAGE }: Said): object => (usage === null ? {} : { usage });

function errorType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  if (status === 529) return 'overloaded_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
