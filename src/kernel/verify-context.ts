import { NO_COST } from '../model/tool.ts';
import { assocGet } from './assoc.ts';
import { type Amounts, remaining } from './budget-view.ts';
import { stepPolicy } from './call-policy.ts';
import { carryOver } from './carry.ts';
import { mayDraft } from './draft/may-draft.ts';
import type { KernelEnv } from './env.ts';
import { narrowTools } from './narrow-tools.ts';
import { impossible } from './reaction.ts';
import { reasoningOf } from './required-reasoning.ts';
import type { RunState } from './state.ts';
import { isStaleStep, supportOf } from './support.ts';
import { type CommittedStep, DEPTH_MAX, type KnownState, type VerifyContext } from './verify/verify-context.ts';

/** What a plan is held against: the pinned tools and rules, the run's authority, and what it knows by now. */
export function verifyContext(env: KernelEnv, state: RunState): VerifyContext {
  const token = state.intake.token;
  if (token === null || state.budget === null) throw impossible('a verification before the run is initialised', state);
  const decide = stepPolicy(env, state);
  return {
    ...(decide === null ? {} : { decide }),
    tools: narrowTools(env.tools, token.allowed_tools),
    catalog: env.catalog,
    policy: env.policy,
    authority: token.approval_authority,
    risk: state.intake.risk,
    remaining: forTools(remaining(state.budget)),
    known: knownState(env, state),
    ...drafting(env, state),
    naming: { planId: `plan_${state.planning.plansCreated + 1}`, intent: state.intake.intent ?? 'task' },
    reasoning: reasoningOf(state),
  };
}

/** A plan spends through its tools, so the money it is held against is what tools may spend. */
function forTools(left: Amounts): VerifyContext['remaining'] {
  return { ...left, cost_microusd: left.tool_spend_microusd };
}

function drafting(env: KernelEnv, state: RunState): Pick<VerifyContext, 'drafting' | 'draftCost'> {
  return mayDraft(env, state) ? { drafting: 'allowed', draftCost: env.limits.drafterCost ?? NO_COST } : {};
}

/** Tools that a plan should not lean on, for what they did in this run. */
function doubtful({ planning }: RunState): Pick<KnownState, 'setAside' | 'failing'> {
  const failing = planning.reason?.detail['tool'];
  return {
    ...(planning.setAside === undefined ? {} : { setAside: new Set(planning.setAside) }),
    ...(typeof failing === 'string' ? { failing } : {}),
  };
}

/** Looked up where it is asked for: a run of thousands of short plans must not copy what it knows for each of them. */
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
    keys: {
      get: (key) => {
        const filler = assocGet(fillers, key);
        const step = filler === undefined ? undefined : stepOf(filler);
        // A step that was planned anew under its id may fill another key, or none.
        return step?.context_key === key ? (env.tools.get(step.tool)?.produces ?? []) : undefined;
      },
    },
    ...doubtful(state),
    support: { get: (id) => supportOf(state, id) },
    decided: new Set(state.work.decided),
    depth: 0,
    depthMax: DEPTH_MAX,
  };
}
