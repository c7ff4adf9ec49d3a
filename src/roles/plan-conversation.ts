import { Fault } from '../model/fault.ts';
import { assertJson, type Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import type { Asked, ModelDesk, ModelProfile, PromptMessage } from '../ports/language-model.ts';
import type { PlanRequest } from '../ports/planner.ts';
import { type PlanSchema, planSchemas } from './plan-schema.ts';
import { taskSection } from './prompts/common.ts';
import { feedback } from './prompts/feedback.ts';
import { PLANNING_TEMPLATE } from './prompts/planning.ts';

/** What a model said, as far as it can be read. */
export interface Said {
  readonly text: string;
  readonly json: Json;
  /** Why it could not even be read; null where it could. */
  readonly unread: readonly Problem[] | null;
}

export interface Conversation {
  ask(): Promise<Said>;
  /** Null where that may not be asked any more: what was said last stands. */
  again(text: string, problems: readonly Problem[]): Promise<Said | null>;
  /** What the last question took of the model's context. */
  tokens(): number;
}

/** One question to a planning model, and what is given back to it. Each part of it is asked at the desk, and on record. */
export function openConversation(
  profile: ModelProfile,
  system: string,
  request: PlanRequest,
  desk: ModelDesk,
): Conversation {
  const task: PromptMessage = { author: 'user', text: `${taskSection(request)}\n\nPlan this task.` };
  const schemas = [...planSchemas(request)];
  const messages: PromptMessage[] = [task];
  let tokens = 0;
  const once = async (schema: PlanSchema): Promise<Asked> => {
    const before = desk.left().input_tokens;
    const asked = await desk.ask(profile, {
      role: 'planner',
      template: PLANNING_TEMPLATE,
      system,
      messages: [...messages],
      schema,
    });
    tokens = Math.max(0, before - desk.left().input_tokens);
    return asked;
  };
  /** A provider that finds a schema too much for it is shown the next looser one, for good. */
  const tightest = async (): Promise<Asked> => {
    for (;;) {
      const [schema, ...looser] = schemas;
      if (schema === undefined) throw new Fault('internal', 'there is always a schema of plans');
      const asked = await once(schema);
      if (asked.ok || asked.fault.code !== 'model_rejected' || looser.length === 0) return asked;
      schemas.shift();
    }
  };
  return {
    ask: async () => saidIn(granted(await tightest())),
    again: async (text, problems) => {
      // Providers refuse a message that says nothing.
      messages.push({ author: 'assistant', text: text.slice(0, QUOTED_MAX).toWellFormed().trim() || '(nothing)' });
      messages.push({ author: 'user', text: feedback(problems) });
      const asked = await tightest();
      return asked.ok ? saidIn(asked) : null;
    },
    tokens: () => tokens,
  };
}

const QUOTED_MAX = 20_000;
const PROSE_MAX = 500;

function granted(asked: Asked): Extract<Asked, { readonly ok: true }> {
  if (!asked.ok) throw asked.fault;
  return asked;
}

/** Prose is proposed as what it is, as much of it as it takes to see that; all of it is kept with the request. */
function saidIn({ text, json, finish }: Extract<Asked, { readonly ok: true }>): Said {
  const unread = json === undefined ? notJson(finish) : tooMuch(json);
  if (unread === null && json !== undefined) return { text, json, unread };
  return { text, json: text.slice(0, PROSE_MAX).toWellFormed(), unread: unread === null ? [] : [unread] };
}

function notJson(finish: Extract<Asked, { readonly ok: true }>['finish']): Problem {
  const message = finish === 'length' ? 'the answer was cut off before its end: use fewer words' : 'it is not JSON';
  return { code: 'plan_untyped', path: '', message };
}

/** JSON that nobody would store is not gone through either. */
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
