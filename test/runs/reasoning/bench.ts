/** A run for one kind of task, and a model that answers it by itself or goes through tools. */
import type { Plan } from '../../../src/model/plan.ts';
import type { RiskClass } from '../../../src/model/risk.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export interface Task {
  readonly kind: string;
  readonly risk?: RiskClass;
  readonly tools?: NonNullable<RigOptions['tools']>;
  /** The type of evidence that shows the goal; absent where the answer itself is the work. */
  readonly evidence?: string;
}

export const saying = (answer: string, n = 1): Plan => planOf([], { plan_id: `plan_${n}`, answer });
export const using = (tool: string, n = 1): Plan =>
  planOf([{ id: 'a', tool, params: { n } }], { plan_id: `plan_${n}` });

export function working({ kind, risk = 'low', tools = { look: {} }, evidence }: Task, plans: readonly unknown[]): Rig {
  const criterion = { id: 'finished', statement: 'The work is done.', rank: 'primary' as const };
  return rig({
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
  });
}
