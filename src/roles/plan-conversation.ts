import { Fault } from '../model/fault/fault.ts';
import { assertJson, type Json } from '../model/json/json.ts';
import type { Problem } from '../model/json/problem.ts';
import type {
  ModelClient,
  ModelProfile,
  ModelPrompt,
  ModelRequest,
  PromptMessage,
} from '../ports/model/language-model.ts';
import type { PlanRequest } from '../ports/model/planner.ts';
import { planSchemas } from './plan-schema.ts';
import { feedback, taskSection } from './prompts/common.ts';
import { PLANNING_TEMPLATE } from './prompts/planning.ts';

/** The messages between a role and its model about one question. */
export interface Conversation {
  /** Sends all messages so far. */
  ask(): Promise<ModelRequest>;
  add(...added: readonly PromptMessage[]): void;
  /** Input tokens of the last request. */
  tokens(): number;
}

/** The first messages of a conversation. */
export interface Opening extends Pick<ModelPrompt, 'role' | 'template' | 'system'> {
  readonly messages: readonly PromptMessage[];
  /** The strictest first. If the provider rejects a schema, the next one is used from then on. */
  readonly schemas: readonly NonNullable<ModelPrompt['schema']>[];
}

/** The first prompt of a conversation. */
export const promptOf = ({ schemas, messages, ...rest }: Opening): ModelPrompt => ({
  ...rest,
  messages: joined(messages),
  schema: schemas[0] ?? null,
});

export function openConversation(client: ModelClient, profile: ModelProfile, opening: Opening): Conversation {
  const { role, template, system } = opening;
  const messages = [...opening.messages];
  let schemas = opening.schemas;
  let tokens = 0;
  return {
    ask: async () => {
      for (;;) {
        const [schema, ...looser] = schemas;
        if (schema === undefined) throw new Fault('internal', 'a conversation needs a schema');
        const before = client.left().input_tokens;
        const asked = await client.ask(profile, { role, template, system, messages: joined(messages), schema });
        tokens = Math.max(0, before - client.left().input_tokens);
        if (asked.ok || asked.fault.code !== 'model_rejected' || looser.length === 0) return asked;
        schemas = looser;
      }
    },
    add: (...added) => {
      messages.push(...added);
    },
    tokens: () => tokens,
  };
}

/** Joins consecutive messages of one author, because some providers refuse them. */
function joined(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const out: PromptMessage[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last?.author === message.author) out[out.length - 1] = { ...last, text: `${last.text}\n\n${message.text}` };
    else out.push(message);
  }
  return out;
}

interface ParsedAnswer {
  readonly text: string;
  readonly json: Json;
  /** Why the answer could not be parsed; null if it could. */
  readonly unread: readonly Problem[] | null;
}

/** A conversation with a planning model: one question, then corrections. */
interface PlanConversation {
  ask(): Promise<ParsedAnswer>;
  /** Asks for a corrected answer. Returns null if the request failed; the last answer then stands. */
  again(text: string, problems: readonly Problem[]): Promise<ParsedAnswer | null>;
  /** Input tokens of the last request. */
  tokens(): number;
}

/** The first messages of a conversation about a plan. */
export const planOpening = (system: string, request: PlanRequest): Opening => ({
  role: 'planner',
  template: PLANNING_TEMPLATE,
  system,
  messages: [{ author: 'user', text: `${taskSection(request)}\n\nPlan this task.` }],
  schemas: planSchemas(request),
});

export function openPlanConversation(
  profile: ModelProfile,
  system: string,
  request: PlanRequest,
  client: ModelClient,
): PlanConversation {
  const conversation = openConversation(client, profile, planOpening(system, request));
  return {
    ask: async () => parseAnswer(granted(await conversation.ask()), profile),
    again: async (text, problems) => {
      // Providers refuse an empty message.
      const quoted = text.slice(0, QUOTED_MAX).toWellFormed().trim() || '(nothing)';
      conversation.add({ author: 'assistant', text: quoted }, { author: 'user', text: feedback(problems) });
      const asked = await conversation.ask();
      return asked.ok ? parseAnswer(asked, profile) : null;
    },
    tokens: conversation.tokens,
  };
}

const QUOTED_MAX = 20_000;
const PROSE_MAX = 500;

function granted(asked: ModelRequest): Extract<ModelRequest, { readonly ok: true }> {
  if (!asked.ok) throw asked.fault;
  return asked;
}

/** Parses an answer. Prose becomes the proposal, truncated; the complete answer is recorded with the request. */
function parseAnswer(
  { text, json, finish }: Extract<ModelRequest, { readonly ok: true }>,
  { parameters }: ModelProfile,
): ParsedAnswer {
  const unread = json === undefined ? notJson(finish) : tooMuch(json);
  if (unread === null && json !== undefined) return { text, json, unread };
  const cut = finish === 'length' ? `(cut off by outputTokensMax, ${parameters.outputTokensMax}) ` : '';
  return { text, json: cut + text.slice(0, PROSE_MAX).toWellFormed(), unread: unread === null ? [] : [unread] };
}

function notJson(finish: Extract<ModelRequest, { readonly ok: true }>['finish']): Problem {
  const message = finish === 'length' ? 'the answer was cut off before its end: use fewer words' : 'it is not JSON';
  return { code: 'plan_untyped', path: '', message };
}

/** The reason to reject the JSON of an answer, e.g. because it exceeds the size limits; null if it is fine. */
function tooMuch(json: Json): Problem | null {
  if (typeof json !== 'object' || json === null) return { code: 'plan_untyped', path: '', message: 'it is no plan' };
  try {
    assertJson(json);
    return null;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return { code: error.code, path: '', message: error.message };
  }
}
