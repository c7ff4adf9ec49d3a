import type { Finding, FindingKind } from '../model/finding.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import type { Reaction } from './reaction.ts';
import { compromised } from './revocation/compromise.ts';
import type { RunState } from './state.ts';

/**
 * Findings that no score makes up for. A danger ends the run and security is told; a result that leads away from the
 * goal is not for a model to explain to itself, so whoever set the goal is shown how it drifted. Null if there is none.
 */
export function graveFinding(
  env: KernelEnv,
  state: RunState,
  findings: readonly Finding[],
  stepId: string | null,
): Reaction | null {
  if (findings.length === 0) return null;
  const unsafe = grave(findings, 'unsafe');
  if (unsafe.length > 0) {
    const detail = { step_id: stepId, findings: unsafe };
    const stop = { code: 'UNSAFE_DETECTION', reason: 'unsafe_finding', detail } as const;
    const certain = findings.find((finding) => finding.kind === 'unsafe' && finding.compromised === true);
    return escalateRun(env, state, 'security_breach', certain === undefined ? stop : compromised(stop, certain.detail));
  }
  const drift = grave(findings, 'goal_divergence');
  if (drift.length === 0) return null;
  const plan_id = state.planning.active?.plan.plan_id ?? null;
  const detail = { step_id: stepId, goal: state.intake.goal?.statement ?? '', plan_id, drift };
  return escalateRun(env, state, 'plan_divergence', { code: 'REVIEW_REQUIRED', reason: 'goal_divergence', detail });
}

const grave = (findings: readonly Finding[], kind: FindingKind): readonly string[] =>
  findings.filter((finding) => finding.kind === kind && finding.severity === 'high').map(({ detail }) => detail);
