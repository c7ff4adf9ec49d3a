import type { JsonObject } from '../../src/model/json/json.ts';
import type { Plan, PlanStep } from '../../src/model/plan/plan.ts';
import { POST_ENTRY } from './tool.ts';

/** A plan with arguments that are unique among all steps and all values of `run`. */
export function literalPlan(run: number, size: number): Plan {
  return plan(run, size, (at) => ({ params: argumentsOf(run, at) }));
}

/** Like `literalPlan`, with every step bound to the results of the previous step and of the first. */
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
