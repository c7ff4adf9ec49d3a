import type { Problem } from '../../../model/json/problem.ts';
import type { PlanReply } from '../../../model/plan/plan.ts';
import type { RequiredReasoning } from '../../../model/plan/reasoning.ts';
import type { Subject } from '../subject.ts';

/**
 * A model may answer without a tool only if the task class and risk of the intent allow it; the plan's own claims do
 * not count. Otherwise the answer counts as assumed.
 */
export function checkReasoning({ plan, context }: Subject): readonly Problem[] {
  if (plan.reply !== undefined) return checkReply(plan, plan.reply, context);
  if (plan.answer === undefined) return [];
  const { needed, task, intent } = context.reasoning ?? UNKNOWN;
  if (plan.steps.length > 0) {
    const message = 'an answer of the model stands alone: what steps bring is answered from what they committed';
    return [{ code: 'grounding_violation', path: '/answer', message }];
  }
  if (needed === 'direct') return [];
  const what = needed === 'tool' ? 'a tool has to observe it' : 'verified sources have to be named';
  const message =
    needed === 'tool' && intent !== undefined
      ? `a model may not answer the intent ${intent} by itself, because its taskClass is '${task}': plan a step with a tool that looks the answer up, or declare taskClass: 'summary_of_given' for an intent whose questions are about the conversation`
      : `the answer is assumed, not observed; for a task of the kind ${task} ${what}`;
  return [{ code: 'grounding_violation', path: '/answer', message, detail: { label: 'assumed', task, needed } }];
}

const UNKNOWN: RequiredReasoning = { needed: 'tool', task: 'unknown' };

/** A reply stands alone. Work that has begun ends with its answer, or because an action is impossible. */
function checkReply(plan: Subject['plan'], reply: PlanReply, { mayReply }: Subject['context']): readonly Problem[] {
  if (plan.steps.length === 0 && plan.answer === undefined && mayReply?.(reply.kind) === true) return [];
  const message = 'a reply stands alone, before the first step: answer from what the steps committed';
  return [{ code: 'grounding_violation', path: '/reply', message }];
}
