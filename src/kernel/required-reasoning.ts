import { type Reasoning, requiredReasoning } from '../model/reasoning.ts';
import type { RunState } from './state.ts';

/** How this run has to come to its answer. The kind of task and its risk were declared with the intent, not by a model. */
export function reasoningOf({ intake }: RunState): { readonly needed: Reasoning; readonly task: string } {
  const task = intake.taskClass ?? 'unknown';
  return { needed: requiredReasoning(task, intake.risk), task };
}

/** What the model says itself, in the plan in force; null where the run works with tools. */
export const directAnswer = ({ planning }: RunState): string | null => planning.active?.plan.answer ?? null;
