/** A run for one task class, whose model answers directly or uses tools. */
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { RiskClass } from '../../../src/model/policy/risk.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export interface Task {
  readonly kind: string;
  readonly risk?: RiskClass;
  readonly tools?: NonNullable<RigOptions['tools']>;
  /** The evidence type that proves the goal. Absent if the answer itself is the result. */
  readonly evidence?: string;
}

export const answerPlan = (answer: string, n = 1): Plan => planOf([], { plan_id: `plan_${n}`, answer });
export const toolPlan = (tool: string, n = 1): Plan =>
  planOf([{ id: 'a', tool, params: { n } }], { plan_id: `plan_${n}` });

export const taskRig = (task: Task, plans: readonly unknown[]): Rig => rig(taskOptions(task, plans));

export function taskOptions(
  { kind, risk = 'low', tools = { look: {} }, evidence }: Task,
  plans: readonly unknown[],
): RigOptions {
  const criterion = { id: 'finished', statement: 'The work is done.', rank: 'primary' as const };
  return {
    tools,
    plans,
    agent: (agent) => ({
      ...agent,
      intents: agent.intents.map((intent) => ({
        ...intent,
        task_class: kind,
        risk,
        criteria: [evidence === undefined ? criterion : { ...criterion, evidence }],
      })),
    }),
    options: { limits: { onEscalate: 'end' } },
  };
}
