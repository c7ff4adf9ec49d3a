import { heedQuestion } from './ask-user.ts';
import type { KernelEnv } from './env.ts';
import { heedRecommendation } from './escalate-run.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';

/** Whoever a model wants to hear from is heard before the next thing is sent out. Null where it wants nobody. */
export function heedModel(env: KernelEnv, state: RunState): Reaction | null {
  return heedRecommendation(env, state) ?? heedQuestion(env, state);
}
