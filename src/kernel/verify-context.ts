import { type Amounts, remaining } from './budget-view.ts';
import type { KernelEnv } from './env.ts';
import { narrowTools } from './narrow-tools.ts';
import { impossible } from './reaction.ts';
import type { RunState } from './state.ts';
import { vecGet, vecToArray } from './vec.ts';
import { type CommittedStep, DEPTH_MAX, type KnownState, type VerifyContext } from './verify/verify-context.ts';

/** What a plan is held against: the pinned tools and rules, the run's authority, and what it knows by now. */
export function verifyContext(env: KernelEnv, state: RunState): VerifyContext {
  const token = state.intake.token;
  if (token === null || state.budget === null) throw impossible('a verification before the run is initialised', state);
  return {
    tools: narrowTools(env.tools, token.allowed_tools),
    catalog: env.catalog,
    policy: env.policy,
    authority: token.approval_authority,
    risk: state.intake.risk,
    remaining: forTools(remaining(state.budget)),
    known: knownState(env, state),
  };
}

/** A plan spends through its tools, so the money it is held against is what tools may spend. */
function forTools(left: Amounts): VerifyContext['remaining'] {
  return { ...left, cost_microusd: left.tool_spend_microusd };
}

function knownState(env: KernelEnv, state: RunState): KnownState {
  const committed = committedSteps(env, state);
  const keys = new Map<string, readonly string[]>();
  for (const { step } of committed.values()) {
    if (step.context_key !== undefined) keys.set(step.context_key, env.tools.get(step.tool)?.produces ?? []);
  }
  return {
    evidence: new Set(Object.keys(state.work.evidenceByType)),
    committed,
    keys,
    support: new Map(vecToArray(state.work.evidence).map((id) => [id, 'verified'])),
    decided: new Set(state.work.decided),
    depth: 0,
    depthMax: DEPTH_MAX,
  };
}

function committedSteps(env: KernelEnv, state: RunState): ReadonlyMap<string, CommittedStep> {
  const steps = new Map<string, CommittedStep>();
  const keep = (step: CommittedStep['step']): void => {
    const output = env.tools.get(step.tool)?.output_schema;
    if (output !== undefined) steps.set(step.id, { step, output });
  };
  for (const { step } of Object.values(state.work.carried)) keep(step);
  for (const [index, step] of state.planning.active?.plan.steps.entries() ?? []) {
    if (vecGet(state.work.progress, index)?.status === 'committed') keep(step);
  }
  return steps;
}
