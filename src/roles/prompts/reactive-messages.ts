import type { Json } from '../../model/json.ts';
import type { ReactMessage } from '../../model/react-message.ts';
import type { PromptMessage } from '../../ports/language-model.ts';
import type { PlanRequest } from '../../ports/planner.ts';
import { asData } from './common.ts';

/** What is shown of one decision or observation, of those further back once there are many, and of how many in full. */
const SHOWN_CHARS = 4_000;
const SHORT_CHARS = 120;
const RECENT_CHARS = 24_000;

/** What has happened so far as a conversation: each decision as the model's own words, each observation as an answer. */
export function reactiveMessages(request: PlanRequest): readonly PromptMessage[] {
  const opening = user(`Task: ${asData(request.goal.statement)}`);
  return [opening, ...recounted(request.history), user(nextDecision(request))];
}

/** The newest in full and the rest in short: a long run must still fit, and what is not shown can be looked up. */
function recounted(history: readonly ReactMessage[]): readonly PromptMessage[] {
  let room = RECENT_CHARS;
  return history
    .toReversed()
    .map((message) => {
      const told = messageOf(message, room > 0 ? SHOWN_CHARS : SHORT_CHARS);
      room -= told.text.length;
      return told;
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

/** What whoever decides has to know of the moment, beyond what was observed. */
function nextDecision({ reason }: PlanRequest): string {
  if (reason === null) return 'Decide the first step.';
  const { code, step_id, message, detail } = reason;
  return `Decide the next step. ${asReason(code)}: ${shown({ code, step_id, message, detail })}`;
}

const asReason = (code: string): string => (code === 'criteria_unmet' ? 'Not done yet' : 'What went wrong');

/** The answer to a question about what a context key holds. */
export function readingShown(
  { key, path }: { readonly key: string; readonly path: string },
  found: Json | undefined,
  readsLeft: number,
): PromptMessage {
  const place = `${asData(key.toWellFormed())} at ${asData(path.toWellFormed())}`;
  const text = found === undefined ? `Nothing is at ${place}.` : `What ${place} holds: ${shown(found)}`;
  const rule = readsLeft > 0 ? `You may read ${readsLeft} more.` : 'You may read no more: decide a step.';
  return user(`${text}\n${rule}`);
}

/** An answer of the model, given back to it as its own. */
export const saidBefore = (text: string): PromptMessage => ({ author: 'assistant', text: cut(text, SHOWN_CHARS) });

const user = (text: string): PromptMessage => ({ author: 'user', text });

const shown = (value: Json): string => cut(asData(value), SHOWN_CHARS);

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
