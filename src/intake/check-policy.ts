import type { Goal } from '../model/goal.ts';
import type { SecurityToken } from '../model/identity.ts';
import type { Policy, PolicyAnswer } from '../ports/policy.ts';
import type { Answer } from './answer.ts';

export interface PolicyQuestion {
  readonly goal: Goal;
  readonly token: SecurityToken;
  readonly policy: Policy;
}

/** Only a plain yes clears a goal. An engine that fails, or answers with anything else, has not said yes. */
export function checkPolicy({ goal, token, policy }: PolicyQuestion): Answer<'policy_checked'> {
  try {
    const answer: Partial<PolicyAnswer> | null | undefined = policy.check(goal, token);
    if (typeof answer?.cleared !== 'boolean') return notCleared('policy_answer_invalid');
    const rule = typeof answer.rule === 'string' ? answer.rule : null;
    return answer.cleared ? { type: 'policy_checked', cleared: true, rule } : notCleared(rule ?? 'rule_not_named');
  } catch {
    return notCleared('policy_engine_failed');
  }
}

function notCleared(rule: string): Answer<'policy_checked'> {
  return { type: 'policy_checked', cleared: false, rule };
}
