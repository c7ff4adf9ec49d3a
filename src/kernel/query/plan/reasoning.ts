import type { PlanAuthor } from '../../../model/events/plan-events.ts';
import type { PlanReply } from '../../../model/plan/plan.ts';
import { type RequiredReasoning, requiredReasoning } from '../../../model/plan/reasoning.ts';
import type { KernelEnv } from '../../env.ts';
import type { GuardName } from '../../graph/guard-names.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { doneSteps } from './steps.ts';

/** The reasoning that the task requires. The intent declares its class and risk, not a model. */
export function reasoningOf({ intake }: RunState): RequiredReasoning {
  const task = intake.taskClass ?? 'unknown';
  return { needed: requiredReasoning(task, intake.risk), task };
}

/** The required reasoning, with the intent that a refusal names. Runs from before this rule name the task class alone. */
export function explainedReasoning(state: RunState): RequiredReasoning {
  const { intent } = state.intake;
  return intent !== null && hasRule(state, 'answers_explained')
    ? { ...reasoningOf(state), intent }
    : reasoningOf(state);
}

/** The model's direct answer in the active plan. Null if the run uses tools. */
export const directAnswer = ({ planning }: RunState): string | null => planning.active?.plan.answer ?? null;

/** The reply of the active plan to a message that asks for no action. Null if there is none. */
export const directReply = ({ planning }: RunState): PlanReply | null => planning.active?.plan.reply ?? null;

/** Whether the reply of the active plan refuses an action, so that it cannot end the run in success. */
export function refusesAction(state: RunState): boolean {
  const reply = directReply(state);
  return reply !== null && (reply.kind === 'impossible' || reply.action_requested === true);
}

/**
 * Whether the plan of a run may be a reply of this kind. Its graph has to permit replies. After the first use of a tool
 * the only reply is that an action is impossible; runs from before this rule take none then.
 */
export function mayReply(env: KernelEnv, state: RunState, kind: PlanReply['kind']): boolean {
  const [from, to] = [env.graph.idOf('plan_validation'), env.graph.idOf('completion_check')];
  if (from === null || to === null || env.graph.edge(from, to) === null) return false;
  if (state.laneContext !== undefined || state.intake.goal?.call !== undefined) return false;
  if (kind === 'impossible' && hasRule(state, 'late_refusals')) return true;
  return doneSteps(state).every(({ step }) => env.tools.get(step.tool)?.speaks !== undefined);
}

const HOST_ONLY: GuardName = 'plan_from_host@1';

/** The author whose plans the graph admits to validation. */
export function plansFrom({ graph }: Pick<KernelEnv, 'graph'>): PlanAuthor {
  const [from, to] = [graph.idOf('plan'), graph.idOf('plan_validation')];
  const edges = graph.spec.edges.filter((edge) => edge.from === from && edge.to === to);
  return edges.length > 0 && edges.every(({ guard }) => guard === HOST_ONLY) ? 'host' : 'model';
}
