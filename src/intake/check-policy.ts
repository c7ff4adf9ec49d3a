import type { EventBody, EventType } from '../model/events/event.ts';
import type { Goal } from '../model/plan/goal.ts';
import type { SecurityToken } from '../model/run/identity.ts';
import type { Policy, PolicyAnswer } from '../ports/authorizer.ts';

interface PolicyQuestion {
  readonly goal: Goal;
  readonly token: SecurityToken;
  readonly policy: Policy;
}

/** Asks the policy engine about a goal. Only an explicit yes clears it; an exception or any other answer does not. */
export function checkIntakePolicy({ goal, token, policy }: PolicyQuestion): IntakeAnswer<'policy_checked'> {
  try {
    const answer: Partial<PolicyAnswer> | null | undefined = policy.check(goal, token);
    if (typeof answer?.cleared !== 'boolean') return notCleared('policy_answer_invalid');
    const rule = typeof answer.rule === 'string' ? answer.rule : null;
    return answer.cleared ? { type: 'policy_checked', cleared: true, rule } : notCleared(rule ?? 'rule_not_named');
  } catch {
    return notCleared('policy_engine_failed');
  }
}

function notCleared(rule: string): IntakeAnswer<'policy_checked'> {
  return { type: 'policy_checked', cleared: false, rule };
}

/** The event body that answers one question of the kernel during intake. */
export type IntakeAnswer<T extends EventType> = Extract<EventBody, { readonly type: T }>;
