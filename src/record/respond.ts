import type { Claim } from '../model/claim.ts';
import type { EventBody } from '../model/event.ts';
import type { Goal } from '../model/goal.ts';
import { own } from '../model/own.ts';

/**
 * The plainest honest answer: one claim for every criterion that evidence shows, each naming the observation it
 * stands on, and none on what is disputed. A model may word it better later; it may not say more. Where a model
 * was permitted to answer by itself, its words are the text, and they claim no observation.
 */
export function compileResponse(
  goal: Goal,
  evidenceByType: Readonly<Record<string, string>>,
  disputed: readonly string[],
  direct: string | null = null,
): EventBody {
  const claims = goal.acceptance_criteria.flatMap(({ statement, evidence }): readonly Claim[] => {
    const observation = evidence === undefined ? undefined : own(evidenceByType, evidence);
    return observation === undefined || disputed.includes(observation) ? [] : [{ statement, observation }];
  });
  return { type: 'response_compiled', claims, text: direct ?? claims.map((claim) => claim.statement).join(' ') };
}
