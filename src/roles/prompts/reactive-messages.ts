import type { Json } from '../../model/json/json.ts';
import type { ReactMessage } from '../../model/plan/react-message.ts';
import type { PromptMessage } from '../../ports/model/language-model.ts';
import type { PlanRequest } from '../../ports/model/planner.ts';
import { asData } from './common.ts';

/** The length of a recent message, of an older one, and of all recent ones together, in characters. */
const SHOWN_CHARS = 4_000;
const SHORT_CHARS = 120;
const RECENT_CHARS = 24_000;

/** The history as a conversation: decisions as messages of the assistant, observations as messages of the user. */
export function reactiveMessages(request: PlanRequest): readonly PromptMessage[] {
  const opening = user(`Task: ${asData(request.goal.statement)}`);
  return [opening, ...shownHistory(request.history), user(nextDecision(request))];
}

/** Truncates older messages, so that a long run still fits. The model can look up the rest with `read`. */
function shownHistory(history: readonly ReactMessage[]): readonly PromptMessage[] {
  let charsLeft = RECENT_CHARS;
  return history
    .toReversed()
    .map((message) => {
      const shownMessage = messageOf(message, charsLeft > 0 ? SHOWN_CHARS : SHORT_CHARS);
      charsLeft -= shownMessage.text.length;
      return shownMessage;
    })
    .toReversed();
}

function messageOf(message: ReactMessage, most: number): PromptMessage {
  const shown = (value: Json): string => cut(asData(value), most);
  if (message.kind === 'decision') {
    return { author: 'assistant', text: shown({ steps: [message.step] } as unknown as Json) };
  }
  const { step_id, tool, outcome, value, detail, trusted } = message;
  const source = `step ${step_id} (${tool}${trusted ? '' : ', not trusted'})`;
  if (outcome === 'ok') return user(`Observation of ${source}: ${shown(value)}`);
  return user(`Error: ${source} failed with ${outcome}: ${shown(detail)}`);
}

/** The last message: the request to decide, with the reason if there is one. */
function nextDecision({ reason }: PlanRequest): string {
  if (reason === null) return 'Decide the first step.';
  const { code, step_id, message, detail } = reason;
  return `Decide the next step. ${asReason(code)}: ${shown({ code, step_id, message, detail })}`;
}

const asReason = (code: string): string => (code === 'criteria_unmet' ? 'Not done yet' : 'What went wrong');

/** The answer to a `read` of a context key. */
export function readAnswer(
  { key, path }: { readonly key: string; readonly path: string },
  found: Json | undefined,
  readsLeft: number,
): PromptMessage {
  const place = `${asData(key.toWellFormed())} at ${asData(path.toWellFormed())}`;
  const text = found === undefined ? `Nothing is at ${place}.` : `What ${place} holds: ${shown(found)}`;
  const rule = readsLeft > 0 ? `You may read ${readsLeft} more.` : 'You may read no more: decide a step.';
  return user(`${text}\n${rule}`);
}

/** An earlier answer of the model, truncated. */
export const assistantMessage = (text: string): PromptMessage => ({
  author: 'assistant',
  text: cut(text, SHOWN_CHARS),
});

const user = (text: string): PromptMessage => ({ author: 'user', text });

const shown = (value: Json): string => cut(asData(value), SHOWN_CHARS);

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
