import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import type { Problem } from '../model/json/problem.ts';
import { asksForAction } from '../model/text/asks-for-action.ts';
import { isRefusalText, keepCourtesies } from '../model/text/courtesy.ts';
import type { PlanRequest } from '../ports/model/planner.ts';

/**
 * The end of a plan that uses no tool: the model's own answer, if the task allows one, or a reply. A `respond` step
 * whose arguments are the reply counts too, and so does a statement that the action is impossible beside other steps:
 * without the action, the steps are no success. Null for any other plan.
 */
export function directEnd(plan: JsonObject, request: PlanRequest): JsonObject | null {
  const { mayAnswer, mayReply, mayRefuse } = request;
  const source = replySource(plan);
  const refused = source !== plan && (mayReply === true || mayRefuse === true) ? refusedAction(plan) : '';
  if (refused !== '') return impossible(refused);
  if (source === null) return null;
  const answer = wordsIn(source['answer']);
  if (mayAnswer && answer.text !== '' && source === plan) return { answer: answer.text };
  if (mayReply === true) return firstReply(source, answer, request);
  return mayRefuse === true ? lateRefusal(source, answer, request) : null;
}

const impossible = (text: string): JsonObject => ({ reply: { kind: 'impossible', text } });

/** The reply before the first use of a tool. */
function firstReply(source: JsonObject, answer: Words, { goal }: PlanRequest): JsonObject | null {
  const declined = wordsIn(source['decline']);
  const refusal = declined.text === '' && isRefusalText(answer.text) ? answer : declined;
  const courtesy = keepCourtesies(answer.text).text === '' ? '' : answer.text;
  const stated = textFrom(source['impossible']);
  const text = stated || refusal.text || courtesy;
  if (text === '') return null;
  // A refusal or a courtesy does not carry an order out, so it cannot end the run in success.
  if (stated !== '' || asksForAction(goal.statement)) return impossible(text);
  const { requested } = refusal;
  if (refusal.text !== '')
    return { reply: { kind: 'decline', text, ...(requested === null ? {} : { action_requested: requested }) } };
  return answer.requested === true ? impossible(text) : { reply: { kind: 'answer', text } };
}

/** A refusal after the first use of a tool. A message that a tool was used for is not off topic, so none is a decline. */
function lateRefusal(source: JsonObject, { text: answer }: Words, { goal }: PlanRequest): JsonObject | null {
  const refused = isRefusalText(answer) && asksForAction(goal.statement) ? answer : '';
  const text = refusalText(source) || refused;
  return text === '' ? null : impossible(text);
}

/** The plan itself if it has no step, or the arguments of its only step if that is `respond`; null for any other plan. */
function replySource(plan: JsonObject): JsonObject | null {
  const { steps } = plan;
  const [only, ...others] = isJsonList(steps) ? steps : [];
  if (only === undefined) return plan;
  return others.length === 0 ? replyStep(only) : null;
}

/** The arguments of a `respond` step; null for any other step. */
function replyStep(step: Json): JsonObject | null {
  if (!isJsonObject(step) || !ends(step)) return null;
  const params = step['params'] ?? null;
  const written = typeof params === 'string' ? asJson(params) : params;
  return isJsonObject(written) ? written : null;
}

/** Whether a step is `respond` or `clarify`, in any letter case. */
export function ends(step: Json | undefined): boolean {
  const name = isJsonObject(step) ? (step['tool'] ?? step['capability']) : null;
  return typeof name === 'string' && ['respond', 'clarify'].includes(name.toLowerCase());
}

export function asJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The words of a reply, and whether the model reads the message as an order. Older prompts ask for the words alone. */
interface Words {
  readonly text: string;
  readonly requested: boolean | null;
}

function wordsIn(reply: Json | undefined): Words {
  if (reply === undefined || !isJsonObject(reply)) return { text: textFrom(reply), requested: null };
  const { text, action_requested: requested } = reply;
  return { text: textFrom(text), requested: typeof requested === 'boolean' ? requested : null };
}

/** The text of a refusal. */
const refusalText = ({ decline, impossible: stated }: JsonObject): string => wordsIn(decline).text || textFrom(stated);

/** The text beside the steps of a plan. */
export const draftText = (plan: JsonObject): string => wordsIn(plan['answer']).text || refusalText(plan);

/** The text with which a plan says that the requested action is impossible; empty if it does not. */
function refusedAction({ decline, impossible: stated }: JsonObject): string {
  const declined = wordsIn(decline);
  return textFrom(stated) || (declined.requested === true ? declined.text : '');
}

export const textFrom = (text: Json | undefined): string =>
  typeof text === 'string' ? text.trim().slice(0, TEXT_MAX).toWellFormed() : '';

const TEXT_MAX = 10_000;

/** Whether an object is a reply without steps. */
export const isReply = ({ answer, decline, impossible: stated, kind }: JsonObject): boolean =>
  kind === undefined &&
  [answer, decline, stated].some((words = null) => typeof words === 'string' || wordsIn(words).text !== '');

/** Reads a `reply` as the field of its kind. Only a checked answer becomes the reply of a plan. */
export function withoutReply({ reply, ...plan }: JsonObject): JsonObject {
  if (!isJsonObject(reply ?? null)) return plan;
  const { kind, text, ...more } = reply as JsonObject;
  if (text === undefined) return plan;
  if (kind === 'answer' || kind === 'decline') return { [kind]: { text, ...more }, ...plan };
  return kind === 'impossible' ? { impossible: text, ...plan } : plan;
}

/** Words of a refusal in prose. They only end a run without success, so they may match too much. */
const REFUSALS: readonly RegExp[] = [
  /\b(?:cannot|can['’]?t|can not|unable|impossible|not (?:able|possible)|(?:do not|don['’]t) (?:know|have)|no (?:tool|capability|way))\b/u,
  /\b(?:leider|(?:kann|können) .{0,40}nicht|no puedo|no es posible|lo siento|ne (?:peux|peut) pas|désolé|non posso|não posso)/u,
];

/**
 * The refusal of a model that writes prose instead of a plan. Whether an action is asked for remains open, so that it
 * is no success. Null for prose that refuses nothing.
 */
export function refusalIn(prose: string, { mayReply, mayRefuse }: PlanRequest): JsonObject | null {
  const words = prose.toLowerCase();
  const isRefusal = (mayReply === true || mayRefuse === true) && REFUSALS.some((pattern) => pattern.test(words));
  return isRefusal ? { steps: [], impossible: prose } : null;
}

/** The feedback on a plan that has steps and says that the action is impossible. */
export function contradictions(plan: JsonObject | null): readonly Problem[] {
  if (plan === null || replySource(plan) !== null || refusedAction(plan) === '') return [];
  const message =
    'a plan has either steps or "impossible": if a capability can do all that is asked, leave "impossible" out, and if not, leave the steps out';
  return [{ code: 'plan_untyped', path: '/impossible', message }];
}

/**
 * The feedback on an answer that is more than a courtesy, and so may claim a fact that no tool observed, and on a
 * courtesy in place of an action.
 */
export function replyProblems(proposal: Json, { mayAnswer }: PlanRequest): readonly Problem[] {
  const { answer = '', reply = null } = isJsonObject(proposal) ? proposal : {};
  const { kind = 'answer', text: words = answer } = isJsonObject(reply) ? reply : {};
  const text = textFrom(words);
  if (mayAnswer || text === '' || kind === 'decline' || isRefusalText(text)) return [];
  const isCourtesy = keepCourtesies(text).isAll;
  if (isCourtesy === (kind === 'answer')) return [];
  const message = isCourtesy
    ? 'the message asks for an action, and a courtesy does not do it: use a capability, or say in "impossible" that none can do it'
    : 'no capability has observed this, so it is not shown: use a capability, write nothing but a courtesy, or decline';
  return [{ code: 'grounding_violation', path: '/answer', message }];
}
