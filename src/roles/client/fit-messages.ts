import type { ContextItem } from '../../model/evidence/context.ts';
import { isHistory } from '../../model/evidence/visible-context.ts';
import type { Json } from '../../model/json/json.ts';
import type { ThreadPart } from '../../model/run/thread.ts';
import type { ModelClient, ModelPrompt } from '../../ports/model/language-model.ts';
import type { PlanRequest } from '../../ports/model/planner.ts';

/** A part of a history, as a prompt shows it. */
export type ShownPart = Pick<ThreadPart, 'by' | 'text' | 'sources' | 'trusted'>;

type Fits = (parts: readonly ShownPart[]) => boolean;

/** The part of a question's input that a prompt with earlier messages may take, because tokens are estimated. */
const FILLED_MAX = 0.9;
/** The length to which messages are cut if not even the newest ones fit, in characters. */
const SHORT_CHARS = 1_000;

/** Whether a prompt fits into what is left of a question, or into `tokensMax` of it. */
export function fitsInto(
  client: ModelClient,
  prompt: ModelPrompt,
  tokensMax: number = Number.POSITIVE_INFINITY,
): boolean {
  return client.sizeOf(prompt) <= FILLED_MAX * Math.min(client.left().input_tokens, tokensMax);
}

/**
 * The earlier messages that a prompt has space for: all of them, or the digest, a note and the newest. If the newest
 * message and its answer do not fit, every long message is cut as well, so that no question fails because of its
 * history.
 */
export function fitMessages(parts: readonly ShownPart[], fits: Fits): readonly ShownPart[] {
  if (parts.length === 0 || fits(parts)) return parts;
  const newest = parts.findLastIndex(({ by }) => by === 'requester');
  const uncut = newestThatFit(parts, fits);
  return newest < 0 || uncut.includes(parts[newest] as ShownPart) ? uncut : newestThatFit(parts.map(shortened), fits);
}

/** The digest, a note and as many of the newest messages as fit with them. Finds the number by bisection. */
function newestThatFit(parts: readonly ShownPart[], fits: Fits): readonly ShownPart[] {
  const digests = parts[0]?.by === 'digest' ? 1 : 0;
  const messages = parts.slice(digests);
  const from = (cut: number): readonly ShownPart[] =>
    cut === 0 ? parts : [...parts.slice(0, digests), note(cut), ...messages.slice(cut)];
  let [least, most] = [0, messages.length];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (fits(from(middle))) most = middle;
    else least = middle + 1;
  }
  const found = from(least);
  return least < messages.length || fits(found) ? found : [];
}

const note = (cut: number): ShownPart => ({
  by: 'ending',
  text:
    cut === 1
      ? 'One older message is not shown here, because it does not fit.'
      : `${cut} older messages are not shown here, because they do not fit.`,
  sources: [],
  trusted: true,
});

/** Cuts a long message. Of a digest the end stays, which is about the newest messages. */
function shortened(part: ShownPart): ShownPart {
  const { by, text } = part;
  if (text.length <= SHORT_CHARS) return part;
  const kept = by === 'digest' ? text.slice(-SHORT_CHARS) : text.slice(0, SHORT_CHARS);
  return { ...part, text: `${kept.toWellFormed()}… (cut: ${text.length} characters)` };
}

/** The earlier messages among the items of a context. */
export const messagesIn = (items: readonly ContextItem[]): readonly ShownPart[] =>
  items
    .filter(isHistory)
    .map(({ value, trusted }) => ({ ...(value as unknown as Omit<ShownPart, 'trusted'>), trusted }));

/** The request with the earlier messages that its prompt has space for. */
export function fitRequest(request: PlanRequest, fits: (request: PlanRequest) => boolean): PlanRequest {
  const { items } = request.context;
  const first = items.find(isHistory);
  if (first === undefined) return request;
  const others = items.filter((item) => !isHistory(item));
  const withMessages = (parts: readonly ShownPart[]): PlanRequest => {
    const shown = parts.map(({ trusted, ...value }) => ({ ...first, trusted, value: value as unknown as Json }));
    return { ...request, context: { ...request.context, items: [...others, ...shown] } };
  };
  const parts = messagesIn(items);
  const shown = fitMessages(parts, (each) => fits(each === parts ? request : withMessages(each)));
  return shown === parts ? request : withMessages(shown);
}
