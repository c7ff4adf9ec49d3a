import { type Agent, agent, type LanguageModel, type ModelProfile, reactive, type StartRequest } from 'ambit';
import type { ForeignModel } from 'ambit/store';
import { libraryTools } from './library.ts';

/** An agent that decides one step at a time, after seeing the result of the last one. It takes any AI SDK model,
 * which also writes the answer. */
export function researchAgent(model: ForeignModel | LanguageModel | ModelProfile): Agent {
  return agent({
    name: 'researcher',
    planner: reactive({ model, maxSteps: 12 }),
    models: { composer: model },
    tools: libraryTools,
    intents: [
      {
        intent: 'research.question',
        description: 'Answer a question from the library and cite the page',
        risk: 'low',
        criteria: [{ id: 'cited', statement: 'The answer is cited from a page.', evidence: 'citation' }],
      },
    ],
    boundary: 'research',
    budget: { stepsMax: 20, toolCallsMax: 20, inferenceCostUsdMax: 0.5 },
    settings: { roles: { reader: 'read_only' } },
  });
}

export const question = (words: string): StartRequest => ({
  goal: words,
  identity: {
    actor: 'agt_researcher',
    tenant_id: 'tenant_library',
    roles: ['reader'],
    scopes: ['library.search', 'library.read', 'library.cite'],
    expires_at: 4_000_000_000_000,
  },
});
