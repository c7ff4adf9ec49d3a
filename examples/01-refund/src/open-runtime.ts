import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type Ambit, type AmbitOptions, ambit, type ModelProfile, modelProfile } from 'ambit';
import { accountAgent } from './account-agent.ts';
import { supportAgent } from './agent.ts';
import type { Ledger } from './ledger.ts';
import { accountTools, supportTools } from './tools.ts';

/** The scripted model behind an HTTP server. In your own agent, use any other model of the AI SDK. */
export function scriptedModelAt(url: string): ModelProfile {
  const provider = createOpenAICompatible({ name: 'script', baseURL: `${url}/v1`, supportsStructuredOutputs: true });
  return modelProfile(provider('scripted-model'), { name: 'scripted', price: 'free' });
}

/** The runtime of every process of the demo: both agents, one journal, one model that also writes the answers. */
export function openRuntime(file: string, ledger: Ledger, modelUrl: string): Ambit {
  const model = scriptedModelAt(modelUrl);
  return ambit({
    agents: [supportAgent(supportTools(ledger), model), accountAgent(accountTools(ledger), model)],
    store: `sqlite:${file}`,
    limits: LIMITS,
    world: { policy: { gates: { GATE_FINANCE_APPROVAL: { roles: ['finance'] } } } },
  });
}

/** Calls are sent within a second or not at all, so that a call in doubt is settled quickly. */
const LIMITS: NonNullable<AmbitOptions['limits']> = { dispatchWindowMs: 1_000 };
