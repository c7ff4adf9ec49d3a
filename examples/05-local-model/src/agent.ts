import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type Agent, agent, modelProfile, type RunRequest, tool } from 'ambit';
import { z } from 'zod';

/** Address of a local model server, and the model to use. */
export interface LocalModel {
  /** Ollama: `http://127.0.0.1:11434/v1`. llama.cpp: port 8080. vLLM: port 8000. */
  readonly url: string;
  readonly model: string;
}

const stock = tool({
  name: 'stock.look_up',
  description: 'Say how many pieces of an article are in stock',
  approvalMode: 'read_only',
  inputSchema: z.object({ article: z.enum(['blue mug', 'red mug']) }),
  outputSchema: z.object({ article: z.string(), pieces: z.int() }),
  execute: ({ article }) => ({ article, pieces: article === 'blue mug' ? 4 : 0 }),
  effects: { produces: ['stock'] },
  say: 'The stock of the {article} is {pieces} pieces.',
  risk: { category: 'live_api', trusted: true },
});

/** An agent that plans and answers with a local model. Its requests are free, but tokens still count. */
export function stockAgent({ url, model }: LocalModel): Agent {
  const local = createOpenAICompatible({ name: 'local', baseURL: url, supportsStructuredOutputs: true });
  return agent({
    name: 'clerk',
    model: modelProfile(local(model), { name: 'local', price: 'free', requestTimeoutMs: 25_000 }),
    tools: [stock],
    intents: [
      {
        intent: 'stock.question',
        description: 'Answer questions about the stock',
        risk: 'low',
        criteria: [{ id: 'known', statement: 'The stock was looked up.', evidence: 'stock' }],
      },
    ],
    boundary: 'customer_support',
    budget: {
      stepsMax: 10,
      toolCallsMax: 10,
      externalApiCallsMax: 0,
      inputTokensMax: 200_000,
      outputTokensMax: 50_000,
      wallClockSecondsMax: 300,
      inferenceCostUsdMax: 0,
      retryCountMax: 3,
      reflectionPassesMax: 1,
      contextTokensMax: 100_000,
      memoryWritesMax: 0,
      sideEffectsMax: 0,
    },
    settings: { roles: { clerk: 'read_only' } },
  });
}

export function stockQuestion(question: string): RunRequest {
  return {
    mode: 'standard',
    tenant_id: 'tenant_shop',
    agent: 'clerk',
    intent: 'stock.question',
    goal: { statement: question },
    identity: {
      actor: 'agt_clerk',
      tenant_id: 'tenant_shop',
      roles: ['clerk'],
      scopes: ['stock.look_up'],
      expires_at: 4_000_000_000_000,
    },
  };
}
