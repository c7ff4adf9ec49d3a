import { Fault } from '../model/fault.ts';
import { assertJson, type Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import type { Asked, ModelDesk, ModelProfile } from '../ports/language-model.ts';
import type { PlanRequest } from '../ports/planner.ts';
import { openConversation } from './conversation.ts';
import { planSchemas } from './plan-schema.ts';
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

/** A planning model that is asked once and, as long as that may be, again with what was wrong. */
export interface PlanConversation {
  ask(): Promise<Said>;
  /** Null where that may not be asked any more: what was said last stands. */
  again(text: string, problems: readonly Problem[]): Promise<Said | null>;
  /** What the last question took of the model's context. */
  tokens(): number;
}

export function openPlanConversation(
  profile: ModelProfile,
  system: string,
  request: PlanRequest,
  desk: ModelDesk,
): PlanConversation {
  const conversation = openConversation(desk, profile, {
    role: 'planner',
    template: PLANNING_TEMPLATE,
    system,
    messages: [{ author: 'user', text: `${taskSection(request)}\n\nPlan this task.` }],
    schemas: planSchemas(request),
  });
  return {
    ask: async () => saidIn(granted(await conversation.ask()), profile),
    again: async (text, problems) => {
      // Providers refuse a message that says nothing.
      const quoted = text.slice(0, QUOTED_MAX).toWellFormed().trim() || '(nothing)';
      conversation.add({ author: 'assistant', text: quoted }, { author: 'user', text: feedback(problems) });
      const asked = await conversation.ask();
      return asked.ok ? saidIn(asked, profile) : null;
    },
    tokens: conversation.tokens,
  };
}

const QUOTED_MAX = 20_000;
const PROSE_MAX = 500;

function granted(asked: Asked): Extract<Asked, { readonly ok: true }> {
  if (!asked.ok) throw asked.fault;
  return asked;
}

/** Prose is proposed as what it is, as much of it as it takes to see that; all of it is kept with the request. */
function saidIn({ text, json, finish }: Extract<Asked, { readonly ok: true }>, { parameters }: ModelProfile): Said {
  const unread = json === undefined ? notJson(finish) : tooMuch(json);
  if (unread === null && json !== undefined) return { text, json, unread };
  const cut = finish === 'length' ? `(cut off by outputTokensMax, ${parameters.outputTokensMax}) ` : '';
  return { text, json: cut + text.slice(0, PROSE_MAX).toWellFormed(), unread: unread === null ? [] : [unread] };
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
