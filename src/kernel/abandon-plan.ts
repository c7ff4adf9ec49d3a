import { advance } from './advance.ts';
import { askUser } from './ask-user.ts';
import { renderVerdict } from './checkpointing.ts';
import type { KernelEnv } from './env.ts';
import type { Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { standsOn } from './walk.ts';

/**
 * Something the plan took for granted is not so. What was observed stays; the next step gets as far as the question
 * how to go on, and no further. Where no step is left that could be misled, the run is judged by what it has.
 */
export function abandonPlan(
  env: KernelEnv,
  state: RunState,
  afterStep: string,
  disproved: readonly string[],
): Reaction {
  const [judged, checkpoint] = renderVerdict(env, state, 'escalate', afterStep);
  const [next, effects] = advance(env, { ...judged, current: null });
  if (!standsOn(env, next, 'tool_eligibility')) return [next, [...checkpoint, ...effects]];
  const question = { code: 'IMPOSSIBLE', fields: ['clarification'], readings: disproved } as const;
  const [asked, asking] = askUser(env, next, question);
  return [asked, [...checkpoint, ...asking]];
}
