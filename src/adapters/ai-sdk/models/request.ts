import type { JsonObject } from '../../../model/json.ts';
import type { ModelParameters, ModelPrompt } from '../../../ports/language-model.ts';

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant'; readonly content: readonly TextPart[] };

/** What a model of the AI SDK is given, as far as it is ever used here: text, and no tools. */
export interface CallOptions {
  readonly prompt: readonly Message[];
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly responseFormat?: { readonly type: 'json'; readonly schema: JsonObject; readonly name: string };
  readonly abortSignal: AbortSignal;
}

/** `bySchema`: whether this model holds its answers to a schema when it is asked to. */
export function callOptions(
  prompt: ModelPrompt,
  parameters: ModelParameters,
  bySchema: boolean,
  abortSignal: AbortSignal,
): CallOptions {
  const { system, messages, schema } = prompt;
  const { temperature, outputTokensMax, structured } = parameters;
  const held = structured && bySchema && schema !== null;
  const told = schema === null || held ? system : withSchema(system, schema.json);
  const greeting: readonly Message[] = told === '' ? [] : [{ role: 'system', content: told }];
  return {
    prompt: [...greeting, ...messages.map(messageOf)],
    maxOutputTokens: outputTokensMax,
    ...(temperature === null ? {} : { temperature }),
    ...(held ? { responseFormat: { type: 'json', schema: schema.json, name: schema.name } } : {}),
    abortSignal,
  };
}

const messageOf = ({ author, text }: ModelPrompt['messages'][number]): Message => ({
  role: author,
  content: [{ type: 'text', text }],
});

/** Where a provider cannot hold an answer to its schema, the model is at least shown it. */
function withSchema(system: string, schema: JsonObject): string {
  const asked = `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
  return system === '' ? asked : `${system}\n\n${asked}`;
}
