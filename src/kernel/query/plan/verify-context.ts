import type { Json } from '../../../model/json/json.ts';
import { formsIn } from '../../../model/plan/plan.ts';
import { NO_COST } from '../../../model/tool/tool.ts';
import { type Amounts, remaining } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import type { ToolTable } from '../../verify/tool-table.ts';
import {
  type CommittedStep,
  type KnownState,
  SUBTASK_DEPTH_MAX,
  type VerifyContext,
} from '../../verify/verify-context.ts';
import { type PlanVerification, verifyPlan } from '../../verify/verify-plan.ts';
import { stepCompanions } from '../call/companions.ts';
import { stepConditions } from '../call/conditions.ts';
import { stepPolicy } from '../call/policy.ts';
import { outputTerms } from '../evidence/bind-output.ts';
import { isStaleStep, supportOf } from '../evidence/support.ts';
import { mayDraft } from './drafts.ts';
import { stepsToVerify } from './reactive-route.ts';
import { explainedReasoning, mayReply } from './reasoning.ts';
import { carryOver } from './steps.ts';

/** Verifies a proposal against the rules and the knowledge of the run: all of it, or in reactive mode its first step. */
export function verifyProposal(env: KernelEnv, state: RunState, proposal: Json, replansLeft: number): PlanVerification {
  return verifyPlan(stepsToVerify(env, state, proposal), verifyContext(env, state), replansLeft);
}

/** The input of plan verification: pinned tools and rules, the authority and the knowledge of the run. */
export function verifyContext(env: KernelEnv, state: RunState): VerifyContext {
  const token = state.intake.token;
  if (token === null || state.budget === null)
    throw impossibleEvent('a verification before the run is initialised', state);
  const decide = stepPolicy(env, state);
  const conditions = stepConditions(env, state);
  const companions = stepCompanions(env, state);
  return {
    ...(decide === null ? {} : { decide }),
    ...(conditions === null ? {} : { conditions }),
    ...(companions === undefined ? {} : { companions }),
    tools: narrowTools(env.tools, token.allowed_tools),
    catalog: env.catalog,
    policy: env.policy,
    authority: token.approval_authority,
    risk: state.intake.risk,
    remaining: withToolSpend(remaining(state.budget)),
    known: knownState(env, state),
    ...draftingContext(env, state),
    naming: { planId: `plan_${state.planning.plansCreated + 1}`, intent: state.intake.intent ?? 'task' },
    reasoning: explainedReasoning(state),
    ...outputTerms(env, state),
    ...inputForms(state),
    mayReply: (kind) => mayReply(env, state, kind),
  };
}

/** The forms in the inputs of a run whose host plans; no field if there are none, as nearly always. */
function inputForms(state: RunState): Pick<VerifyContext, 'inputForms'> {
  if (state.planning.author !== 'host' || !hasRule(state, 'inputs_are_values')) return {};
  const found = formsIn(state.intake.answers);
  return found.length === 0 ? {} : { inputForms: found };
}

/** A plan spends money through its tools, so the limit is their remaining spend. */
function withToolSpend(left: Amounts): VerifyContext['remaining'] {
  return { ...left, cost_microusd: left.tool_spend_microusd };
}

function draftingContext(env: KernelEnv, state: RunState): Pick<VerifyContext, 'drafting' | 'draftCost'> {
  return mayDraft(env, state) ? { drafting: 'allowed', draftCost: env.limits.drafterCost ?? NO_COST } : {};
}

/** Tools that a plan should not rely on, because they failed or were set aside in this run. */
function unreliableTools({ planning }: RunState): Pick<KnownState, 'setAside' | 'failing'> {
  const failing = planning.reason?.detail['tool'];
  return {
    ...(planning.setAside === undefined ? {} : { setAside: new Set(planning.setAside) }),
    ...(typeof failing === 'string' ? { failing } : {}),
  };
}

/** Lookups are lazy: a run with thousands of short plans must not copy its knowledge for each. */
function knownState(env: KernelEnv, state: RunState): KnownState {
  const carried = carryOver(state);
  const { steps, fillers } = carried;
  const stepOf = (id: string): CommittedStep['step'] | undefined => assocGet(steps, id)?.step;
  return {
    evidence: new Set(Object.keys(state.work.evidenceByType)),
    committed: {
      get: (id) => {
        const step = stepOf(id);
        const output = step && env.tools.get(step.tool)?.output_schema;
        if (step === undefined || output === undefined) return undefined;
        return isStaleStep(carried, id, step.context_key) ? { step, output, stale: true } : { step, output };
      },
    },
    inputsDelivered: hasRule(state, 'inputs_delivered'),
    keys: {
      get: (key) => {
        const filler = assocGet(fillers, key);
        const step = filler === undefined ? undefined : stepOf(filler);
        // A step planned again under its id may fill another key, or none.
        return step?.context_key === key ? (env.tools.get(step.tool)?.produces ?? []) : undefined;
      },
    },
    ...unreliableTools(state),
    support: { get: (id) => supportOf(state, id) },
    decided: new Set(state.work.decided),
    depth: 0,
    depthMax: SUBTASK_DEPTH_MAX,
  };
}

/** Limits the tool table to the tools of the run's token. */
function narrowTools(tools: ToolTable, granted: readonly string[]): ToolTable {
  const allowed = new Set(granted);
  const available = tools.available.filter((name) => allowed.has(name));
  return {
    ...tools,
    available,
    availableText: available.join(', ') || 'none',
    isAllowed: (name) => tools.isAllowed(name) && allowed.has(name),
  };
}
