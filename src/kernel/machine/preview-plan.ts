import type { Effect, EffectOf } from '../../model/events/effect.ts';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import type { PlanAuthor } from '../../model/events/plan-events.ts';
import type { Stop } from '../../model/fault/terminal-code.ts';
import type { Json } from '../../model/json/json.ts';
import type { DryRun } from '../../model/plan/dry-run.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { PlanPreview, PlanReport } from '../../model/plan/plan-report.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import { remaining } from '../budget/view.ts';
import { envAt, type KernelEnv } from '../env.ts';
import { gateSourcesOf } from '../flow/people/open-gates.ts';
import { UNTYPED_PLAN } from '../handlers/plan.ts';
import { dryRun } from '../query/plan/dry-run.ts';
import type { RunState } from '../state/run-state.ts';
import { derive } from './derive.ts';
import { step } from './step.ts';
import { stopFor, type TurnEnv } from './turn.ts';

/** A plan as its author would propose it. */
export interface ProposedPlan {
  readonly proposal: Json;
  readonly author: PlanAuthor;
}

/**
 * Verifies a plan against a run that waits for one, with the steps that the run itself would take. The state is only
 * read, and the effects are dropped.
 */
export function previewPlan(
  { env, critic }: Pick<TurnEnv, 'env' | 'critic'>,
  waiting: RunState,
  { proposal, author }: ProposedPlan,
): PlanPreview {
  const proposed = { type: 'plan_proposed', proposal, author, spent: NO_COST, context_tokens: 0 } as const;
  const [planned, effects] = takeStep(env, waiting, { ...proposed, at: waiting.now });
  const asked = effects.find((effect): effect is EffectOf<'verify_plan'> => effect.kind === 'verify_plan');
  if (asked === undefined) return { ...NO_CALLS, ...untypedReport(waiting), handover: handoverOf(planned, effects) };
  const verified = derive(envAt(env, planned), critic, planned, asked).event as EventOf<'plan_verified'> & RunEvent;
  const { verdict, problems, checks, projected } = verified;
  const [next, following, fault] = step(env, planned, verified);
  // A run ends with the fault of its step.
  const handover = fault === undefined ? handoverOf(next, following) : endOf(stopFor(fault));
  const { active } = next.planning;
  if (verdict !== 'ok') return { ...NO_CALLS, verdict, problems, checks, projected, plan: null, handover };
  const plan = verified.plan ?? (proposal as unknown as Plan);
  const calls = active === null ? NO_CALLS : dryRun(env, active.plan, gateSourcesOf(next));
  return { ...calls, verdict, problems, checks, projected, plan, handover };
}

const NO_CALLS: DryRun = Object.freeze({ calls: Object.freeze([]), side_effects: 0, approvals: 0, cost: NO_COST });

/** The preview for a run that ends before it plans. */
export const unplannedPreview = (handover: PlanReport['handover']): PlanPreview => ({
  ...NO_CALLS,
  verdict: 'reject',
  problems: [],
  checks: [],
  projected: {},
  plan: null,
  handover,
});

function takeStep(env: KernelEnv, state: RunState, event: RunEvent): readonly [RunState, readonly Effect[]] {
  const [next, effects, fault] = step(env, state, event);
  if (fault !== undefined) throw fault;
  return [next, effects];
}

/** The report on a proposal that does not enter verification. */
function untypedReport({ budget }: RunState): Omit<PlanReport, 'handover'> {
  const replansLeft = budget === null ? 0 : remaining(budget).replan_attempts;
  const problems = [{ code: 'plan_untyped', path: '', message: UNTYPED_PLAN }] as const;
  return { verdict: replansLeft > 0 ? 'replan' : 'reject', problems, checks: [], projected: {}, plan: null };
}

const endOf = ({ code, reason }: Stop): PlanReport['handover'] => ({ code, reason });

function handoverOf({ ending }: RunState, effects: readonly Effect[]): PlanReport['handover'] {
  const escalated = effects.find((effect): effect is EffectOf<'escalate_run'> => effect.kind === 'escalate_run');
  const stop = ending.stops[0] ?? escalated?.stop;
  return stop === undefined ? null : endOf(stop);
}
