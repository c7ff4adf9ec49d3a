import { Fault } from '../model/fault.ts';
import type { Asked, ModelDesk, ModelProfile, ModelPrompt, PromptMessage } from '../ports/language-model.ts';

/** One question of a role and what is said back and forth until it is answered. */
export interface Conversation {
  /** Asks with everything that was said so far. */
  ask(): Promise<Asked>;
  add(...said: readonly PromptMessage[]): void;
  /** What the last question took of the model's context. */
  tokens(): number;
}

export interface Opening extends Pick<ModelPrompt, 'role' | 'template' | 'system'> {
  readonly messages: readonly PromptMessage[];
  /** The tightest first. A provider that finds one too much for it is shown the next, for good. */
  readonly schemas: readonly NonNullable<ModelPrompt['schema']>[];
}

export function openConversation(desk: ModelDesk, profile: ModelProfile, opening: Opening): Conversation {
  const { role, template, system } = opening;
  const messages = [...opening.messages];
  let schemas = opening.schemas;
  let tokens = 0;
  return {
    ask: async () => {
      for (;;) {
        const [schema, ...looser] = schemas;
        if (schema === undefined) throw new Fault('internal', 'a conversation needs a schema');
        const before = desk.left().input_tokens;
        const asked = await desk.ask(profile, { role, template, system, messages: joined(messages), schema });
        tokens = Math.max(0, before - desk.left().input_tokens);
        if (asked.ok || asked.fault.code !== 'model_rejected' || looser.length === 0) return asked;
        schemas = looser;
      }
    },
    add: (...said) => {
      messages.push(...said);
    },
    tokens: () => tokens,
  };
}

/** Two messages of one author in a row are one: not every provider takes them otherwise. */
function joined(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const out: PromptMessage[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last?.author === message.author) out[out.length - 1] = { ...last, text: `${last.text}\n\n${message.text}` };
    else out.push(message);
  }
  return out;
}
