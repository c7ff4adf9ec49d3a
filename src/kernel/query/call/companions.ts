import { approvalsFor } from '../../../model/critic/decision.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { whyForbidden } from '../../../model/policy/policy-decision.ts';
import { realCalls } from '../../../model/tool/inner-call.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import type { RefusedCompanion, VerifyContext } from '../../verify/verify-context.ts';
import { specOfCall } from '../plan/tools.ts';
import { knownArguments } from './known-arguments.ts';
import { companionPolicy } from './policy.ts';
import { whyProbeForbidden } from './policy-record.ts';

/** A probe or the compensation of a step, with the tool that declares it. */
interface Companion {
  readonly name: string;
  readonly kind: 'probe' | 'compensation';
  readonly tool: string;
}

/**
 * Returns a function that lists the probes and the compensation of a step that its run may not call. Undefined for a
 * recorded run, which keeps the earlier rule (ADR 0095).
 */
export function stepCompanions(env: KernelEnv, state: RunState): VerifyContext['companions'] {
  if (!hasRule(state, 'companions_belong')) return undefined;
  const decide = companionPolicy(env, state);
  return (step, outer, expected) =>
    companionsOf(env, state, step, outer).flatMap((companion) => {
      const { name, tool } = companion;
      const spec = env.tools.get(name);
      const decision = spec === undefined || decide === null ? null : decide(step.id, spec, expected);
      const refused = refusalOf(env, state, companion, spec) ?? forbiddenBy(decision, companion);
      return refused === null ? [] : [{ ...refused, detail: { tool: name, companion_of: tool } }];
    });
}

/** The companions that a call of this step may use. A call without a side effect uses none. */
function companionsOf(env: KernelEnv, state: RunState, step: PlanStep, outer: ToolSpec): readonly Companion[] {
  const call = { tool: outer.name, args: knownArguments(env, state, step).args };
  const chain = realCalls(call, (name) => env.tools.get(name)) ?? [call];
  // A dispatcher's call of an unknown tool is refused before it is sent.
  if (chain.some(({ tool }) => env.tools.get(tool) === undefined)) return NO_COMPANIONS;
  const { side_effect, idempotency, probes = {} } = specOfCall(env, call);
  if (!side_effect) return NO_COMPANIONS;
  const asked = new Set([probes.verify, idempotency.kind === 'natural' ? undefined : probes.reconcile]);
  const companions: Companion[] = [];
  for (const name of asked) if (name !== undefined) companions.push({ name, kind: 'probe', tool: outer.name });
  for (const { tool } of chain.toReversed()) {
    const name = env.tools.get(tool)?.probes?.compensate;
    if (name !== undefined) return [...companions, { name, kind: 'compensation', tool }];
  }
  return companions;
}

const NO_COMPANIONS: readonly Companion[] = Object.freeze([]);

type Refusal = Pick<RefusedCompanion, 'code' | 'message'>;

/** A compensation is permitted with its tool. A probe has no gate and needs a permission of its own. */
function refusalOf(env: KernelEnv, state: RunState, companion: Companion, spec: ToolSpec | undefined): Refusal | null {
  const { name, kind } = companion;
  if (spec === undefined) return { code: 'tool_not_allowed', message: `${describe(companion)} is not registered` };
  if (!spec.active) return { code: 'tool_inactive', message: `${describe(companion)} is switched off` };
  if (kind === 'compensation') return null;
  const { needs_approval = [] } = state.manifest?.autonomy_boundary.tools ?? {};
  if (spec.gates.length > 0 || needs_approval.includes(name) || approvalsFor(env.catalog, name).length > 0) {
    return { code: 'permission_denied', message: `${describe(companion)} has to pass a gate, and a probe opens none` };
  }
  if (whyProbeForbidden(env, state, name) === null) return null;
  return { code: 'tool_not_allowed', message: `this run may not use ${describe(companion)}` };
}

type Decision = ReturnType<NonNullable<ReturnType<typeof companionPolicy>>>;

function forbiddenBy(decision: Decision | null, companion: Companion): Refusal | null {
  if (decision === null) return null;
  if (decision.effect !== 'permit') {
    return { code: 'permission_denied', message: `${describe(companion)} is forbidden: ${whyForbidden(decision)}` };
  }
  if (companion.kind === 'compensation' || decision.gates.length === 0) return null;
  const message = `the policies require ${decision.gates.join(', ')} for ${describe(companion)}, and a probe opens no gate`;
  return { code: 'permission_denied', message };
}

const describe = ({ name, kind, tool }: Companion): string => `the ${kind} ${name} of ${tool}`;
