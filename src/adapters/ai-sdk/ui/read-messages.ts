import { z } from 'zod';
import { Fault } from '../../../model/fault/fault.ts';
import { guardInput } from '../../../model/fault/guard-input.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../../model/json/json.ts';
import { Statement, Text } from '../../../model/json/name.ts';
import { parse } from '../../../model/json/parse.ts';
import { takeJson } from '../../../model/json/take-json.ts';
import { type ApprovalName, readApprovalId } from './approval-id.ts';
import { assertCursor } from './cursor.ts';

/** A person's answer at a gate, as a browser claims it. Decide the gate with a credential of your own session. */
export interface ClaimedApproval extends ApprovalName {
  readonly approved: boolean;
  /** Empty if the person stated no reason. */
  readonly reason: string;
}

const PARTS_MAX = 1_000;
const APPROVALS_MAX = 20;
const REASON_LENGTH_MAX = 2_000;
const MESSAGE_LENGTH_MAX = 20_000;

const Message = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(z.looseObject({ type: z.string().max(200) })).max(PARTS_MAX),
  metadata: z.unknown().optional(),
});

const Approval = z.object({
  id: z.string().max(400),
  approved: z.boolean(),
  reason: Text.refine(
    (text) => text.length <= REASON_LENGTH_MAX,
    `must have at most ${REASON_LENGTH_MAX} characters`,
  ).default(''),
});

const TextPart = z.object({ type: z.literal('text'), text: Text });

/**
 * Reads the approvals in the messages of a chat request. They are text from a browser and prove nothing: the gate checks
 * the credential and the packet. All other parts, such as tool outputs, are ignored; the journal has the real ones.
 */
export const readApprovals: (messages: unknown) => readonly ClaimedApproval[] = guardInput(
  'readApprovals',
  (messages: unknown): readonly ClaimedApproval[] => {
    const { role, parts } = lastMessage(messages);
    if (role !== 'assistant') return [];
    const answered = parts.filter(({ state }) => state === 'approval-responded');
    if (answered.length > APPROVALS_MAX) throw wrong(`a message has at most ${APPROVALS_MAX} approvals`);
    const approvals = answered.map(({ approval }) => {
      const { id, approved, reason = '' } = parse(Approval, approval, 'input_invalid');
      const name = readApprovalId(id);
      if (name === null) throw wrong('an approval names its gate and its packet: send back the id of the request');
      return { ...name, approved, reason };
    });
    if (new Set(approvals.map(({ gateId }) => gateId)).size < approvals.length) {
      throw wrong('a message answers each gate once');
    }
    return approvals;
  },
);

/** Reads the text of the user's new message, for `message` of a request. */
export const readMessage: (messages: unknown) => string = guardInput('readMessage', (messages: unknown): string => {
  const { role, parts } = lastMessage(messages);
  if (role !== 'user') throw wrong('the last message must be a message of the user');
  const texts = parts.map((part) => {
    if (part.type !== 'text') throw wrong(`a message of the user has text only, not ${part.type}`);
    return parse(TextPart, part, 'input_invalid').text;
  });
  const text = parse(Statement, texts.join('\n'), 'input_invalid');
  if (text.length > MESSAGE_LENGTH_MAX) throw wrong(`a message has at most ${MESSAGE_LENGTH_MAX} characters`);
  return text;
});

/** Reads the position up to which the client has the last message of the assistant, for the option `after`. */
export const readCursor: (messages: unknown) => string | undefined = guardInput(
  'readCursor',
  (messages: unknown): string | undefined => {
    const { role } = lastMessage(messages);
    const shown = role === 'user' ? (messages as readonly unknown[]).slice(0, -1) : messages;
    if ((shown as readonly unknown[]).length === 0) return undefined;
    const { role: shownRole, metadata } = lastMessage(shown);
    const cursor =
      shownRole === 'assistant' && isJsonObject(metadata as Json) ? own(metadata as JsonObject, 'cursor') : undefined;
    if (cursor !== undefined) assertCursor(cursor);
    return cursor;
  },
);

/** Only the last message counts: a client answers a request in the message that asks. */
function lastMessage(messages: unknown): z.infer<typeof Message> {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (last === undefined) throw wrong('messages must be a list with a message');
  return parse(Message, takeJson(last), 'input_invalid');
}

const wrong = (message: string): Fault => new Fault('input_invalid', message, { path: '/messages' });
