import type { Problem } from '../../../model/problem.ts';
import type { Subject } from '../subject.ts';

/**
 * Whether a model may answer by itself is decided by the kind of task and its risk, both of which the orchestrator
 * knows from the intent; what the plan says of itself does not count. Where a tool is compulsory the answer is assumed.
 */
export function checkReasoning({ plan, context }: Subject): readonly Problem[] {
  if (plan.answer === undefined) return [];
  const { needed, task } = context.reasoning ?? { needed: 'tool', task: 'unknown' };
  if (plan.steps.length > 0) {
    const message = 'an answer of the model stands alone: what steps bring is answered from what they committed';
    return [{ code: 'grounding_violation', path: '/answer', message }];
  }
  if (needed === 'direct') return [];
  const what = needed === 'tool' ? 'a tool has to observe it' : 'verified sources have to be named';
  const message = `the answer is assumed, not observed; for a task of the kind ${task} ${what}`;
  return [{ code: 'grounding_violation', path: '/answer', message, detail: { label: 'assumed', task, needed } }];
}
