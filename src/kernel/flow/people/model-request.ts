import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { handleQuestionRequest } from './ask-user.ts';
import { handleRecommendation } from './escalate.ts';

/** Handles the model's pending escalation or clarification before the next dispatch. Null if there is none. */
export function handleModelRequest(env: KernelEnv, state: RunState): Reaction | null {
  return handleRecommendation(env, state) ?? handleQuestionRequest(env, state);
}
