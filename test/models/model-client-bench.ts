/** A model client for tests, with simulated time and scripted models. */
import { knownModels } from '../../src/adapters/ai-sdk/models/known-models.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { ToolCost } from '../../src/model/tool/tool.ts';
import type {
  Generated,
  LanguageModel,
  ModelAccount,
  ModelProfile,
  ModelPrompt,
  ModelRequest,
  Models,
  RetryPolicy,
} from '../../src/ports/model/language-model.ts';
import { createModelClient } from '../../src/roles/client/model-client.ts';
import { RETRY_POLICY } from '../../src/roles/client/retry.ts';
import { modelProfiles } from '../../src/roles/model-profile.ts';
import { type SimulatedClock, simulatedClock } from '../../src/testing/simulated-clock.ts';
import { PROMPT } from './wires.ts';

export const PLENTY: ToolCost = { input_tokens: 1_000_000, output_tokens: 1_000_000, microusd: 1_000_000_000 };

export const profileOf: ReturnType<typeof modelProfiles> = modelProfiles(knownModels);

/** A model that answers each request by a function and records the time of each request. */
export interface Answering extends LanguageModel {
  readonly askedAt: readonly number[];
}

export interface Bench {
  readonly clock: SimulatedClock;
  readonly stop: AbortController;
  model(
    id: string,
    answer: (turn: number, signal: AbortSignal) => Promise<Generated>,
    price?: LanguageModel['price'],
  ): Answering;
  ask(profile: ModelProfile, prompt?: ModelPrompt): Promise<ModelRequest>;
  left(): ToolCost;
  account(): ModelAccount;
}

export function bench(
  allowance: ToolCost = PLENTY,
  retry: RetryPolicy = RETRY_POLICY,
  models: Models = knownModels,
): Bench {
  const clock = simulatedClock(0);
  const stop = new AbortController();
  const open = createModelClient({ models, retry, clock, timer: clock, hash: sha256 });
  const { client, account } = open(allowance, stop.signal);
  return {
    clock,
    stop,
    model: (id, answer, price = { input: 0, output: 0 }) => {
      const askedAt: number[] = [];
      return {
        id,
        price,
        askedAt,
        generate: (_prompt, _parameters, signal) => {
          askedAt.push(clock.nowMs());
          return answer(askedAt.length, signal);
        },
      };
    },
    ask: (profile, prompt = PROMPT) => passTime(clock, client.ask(profile, prompt)),
    left: client.left,
    account,
  };
}

/** Advances the clock to the next timer whenever nothing else can happen. */
async function passTime<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  while (!settled) {
    for (let turn = 0; turn < 5 && !settled; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    const next = clock.next();
    if (!settled && next !== null) clock.advanceTo(next);
  }
  return await done;
}

export const answerWith = (
  text: string,
  usage: { input_tokens: number | null; output_tokens: number | null } | null = null,
): Generated => ({
  ok: true,
  answer: { text, finish: 'stop', usage, model: 'said-1' },
});

/** Never answers, and ignores its abort signal. */
export const silence = (): Promise<Generated> => new Promise(() => undefined);
