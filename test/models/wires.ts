/** Both wire formats, through the provider packages that users install, against a scripted server. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { expect, onTestFinished } from 'vitest';
import { connect } from '../../src/adapters/ai-sdk/models/connect.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Generated, LanguageModel, ModelParameters, ModelPrompt } from '../../src/ports/model/language-model.ts';
import { type ModelServer, modelServer } from '../../src/testing/model-server/model-server.ts';
import type { ServedTurn } from '../../src/testing/model-server/served-turn.ts';

export type WireName = 'openai' | 'anthropic';

export const WIRES: readonly WireName[] = ['openai', 'anthropic'];

/** Each wire format, in one piece and streamed. */
export const ANSWER_MODES: readonly (readonly [WireName, 'whole' | 'streaming'])[] = WIRES.flatMap((wire) => [
  [wire, 'whole'] as const,
  [wire, 'streaming'] as const,
]);

export const SCHEMA: JsonObject = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
};

export const PROMPT: ModelPrompt = {
  role: 'planner',
  template: { name: 'test', version: '1' },
  system: 'You plan.',
  messages: [
    { author: 'user', text: 'What now?' },
    { author: 'assistant', text: 'Tell me more.' },
    { author: 'user', text: 'Plan it.' },
  ],
  schema: null,
};

export const ASKING: ModelPrompt = { ...PROMPT, schema: { name: 'answer', json: SCHEMA } };

export const PARAMETERS: ModelParameters = { temperature: null, outputTokensMax: 500, structured: true };

/** A model of a provider's package, created as a user would. */
export function sdkModel(wire: WireName, url: string, structured = true): LanguageModelV4 {
  if (wire === 'anthropic') return createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key-a' })('claude-sonnet-4-5');
  const provider = createOpenAICompatible({
    name: 'local',
    baseURL: `${url}/v1`,
    apiKey: 'key-o',
    includeUsage: true,
    supportsStructuredOutputs: structured,
  });
  return provider('small-1');
}

export interface Line {
  readonly server: ModelServer;
  readonly model: LanguageModel;
  ask(prompt?: ModelPrompt, parameters?: Partial<ModelParameters>, signal?: AbortSignal): Promise<Generated>;
}

/**
 * A scripted server and a model connected to it. After the test the server is closed and its script has to be used up.
 */
export async function line(wire: WireName, script: readonly ServedTurn[], structured = true): Promise<Line> {
  const server = await modelServer(script);
  onTestFinished(async () => {
    await server.close();
    server.assertDrained();
  });
  const model = connect(sdkModel(wire, server.url, structured));
  return {
    server,
    model,
    ask: (prompt = PROMPT, parameters = {}, signal = new AbortController().signal) =>
      model.generate(prompt, { ...PARAMETERS, ...parameters }, signal),
  };
}

export function answered(generated: Generated): Extract<Generated, { ok: true }>['answer'] {
  expect(generated).toMatchObject({ ok: true });
  if (!generated.ok) throw generated.fault;
  return generated.answer;
}

export function failed(generated: Generated): Extract<Generated, { ok: false }> {
  if (generated.ok) throw new Error(`it answered: ${generated.answer.text}`);
  return generated;
}
