import type { JsonObject } from '../../src/model/json.ts';
import type { Plan, PlanStep } from '../../src/model/plan.ts';
import { POST_ENTRY } from './tool.ts';

/** A plan in which no two steps, and no two plans of different `run`, have the same arguments. */
export function literalPlan(run: number, size: number): Plan {
  return plan(run, size, (at) => ({ params: argumentsOf(run, at) }));
}

/** The same, with every step bound to what the one before it and the first one will have committed. */
export function boundPlan(run: number, size: number): Plan {
  return plan(run, size, (at) => {
    if (at === 0) return { params: argumentsOf(run, at) };
    const params: JsonObject = {
      ...argumentsOf(run, at),
      account: { $from: 's0', path: '/account' },
      amount_cents: { $from: `s${at - 1}`, path: '/balance_cents' },
    };
    return { params, depends_on: [`s${at - 1}`] };
  });
}

function plan(run: number, size: number, rest: (at: number) => Partial<PlanStep>): Plan {
  const steps = Array.from(
    { length: size },
    (_, at): PlanStep => ({ id: `s${at}`, tool: POST_ENTRY.name, ...rest(at) }),
  );
  return { plan_id: `plan-${run}`, intent: 'post_entries', steps, decision_checkpoints: [] };
}

function argumentsOf(run: number, at: number): JsonObject {
  return {
    memo: `entry ${at} of run ${run}`,
    account: `acc-${run % 97}-${at}`,
    amount_cents: run * 1_000 + at,
    lines: [
      { code: `A${at}`, cents: at },
      { code: `B${at}`, cents: run },
    ],
  };
}
