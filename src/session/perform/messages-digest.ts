import type { DroppableItem } from '../../model/evidence/compression.ts';
import { isJsonObject, type Json } from '../../model/json/json.ts';
import type { ThreadAuthor } from '../../model/run/thread.ts';

/** The length of a digest, and of what it quotes of one message, in characters. */
const DIGEST_CHARS = 6_000;
const EXCERPT_CHARS = 240;
/** The length of a line of an earlier digest, which a model may have written. */
const LINE_CHARS = 1_000;

const AUTHORS: Readonly<Record<Exclude<ThreadAuthor, 'digest'>, string>> = {
  requester: 'the user',
  agent: 'you',
  other: 'another person',
  ending: 'the runtime',
};

interface Message {
  readonly by: ThreadAuthor;
  readonly text: string;
  readonly sources: readonly string[];
  readonly trusted?: false;
}

/**
 * The digest of dropped messages without a model: the beginning of each message with its author, its sources and its
 * trust. It keeps the newest that fit, those of an earlier digest included.
 */
export function messagesDigest(
  dropped: readonly DroppableItem[],
  texts: ReadonlyMap<string, string>,
  charsMax: number,
): string {
  const lines = dropped
    .filter((item) => item.class === 'earlier_message')
    .flatMap(({ pointer }) => linesOf(JSON.parse(texts.get(pointer) ?? 'null') as Json));
  const most = Math.min(DIGEST_CHARS, Math.max(LINE_CHARS, charsMax));
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.toReversed()) {
    length += line.length + 1;
    if (length > most) break;
    kept.unshift(line);
  }
  return kept.join('\n');
}

/** The lines of one message: one, or those of an earlier digest. */
function linesOf(value: Json): readonly string[] {
  if (!isJsonObject(value)) return [];
  const { by, text, sources, trusted } = value as unknown as Message;
  if (by === 'digest') return text.split('\n').map((line) => line.slice(0, LINE_CHARS).toWellFormed());
  const from = sources.length === 0 ? '' : `, from ${sources.join(', ')}`;
  return [`- ${AUTHORS[by]}${from}${trusted === false ? ', not trusted' : ''}: ${excerpt(text)}`];
}

const excerpt = (text: string): string =>
  JSON.stringify(
    text.length <= EXCERPT_CHARS ? text : `${text.slice(0, EXCERPT_CHARS).toWellFormed()}… (${text.length} characters)`,
  );
