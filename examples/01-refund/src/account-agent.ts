import { type Agent, agent, type BoundTool, type ModelProfile } from 'ambit';

/** The agent that answers questions of customers. A model plans its lookups. Without a composer, Ambit states the facts. */
export function accountAgent(
  tools: readonly BoundTool[],
  model: ModelProfile,
  composer: ModelProfile | null = model,
): Agent {
  return agent({
    name: 'accounts',
    model,
    models: { composer },
    instructions: 'You help customers with their plan and their payments. Be brief.',
    tools,
    intents: [
      {
        intent: 'accounts.question',
        description: 'Answer a question about the plan and the payments of a customer',
        risk: 'low',
      },
    ],
    boundary: 'customer_support',
    budget: {
      stepsMax: 10,
      toolCallsMax: 10,
      externalApiCallsMax: 5,
      inputTokensMax: 100_000,
      outputTokensMax: 20_000,
      wallClockSecondsMax: 60,
      inferenceCostUsdMax: 1,
      retryCountMax: 3,
      reflectionPassesMax: 1,
      contextTokensMax: 100_000,
      memoryWritesMax: 0,
      sideEffectsMax: 0,
    },
    settings: { trustedInputs: { customer_id: 'id' } },
  });
}
