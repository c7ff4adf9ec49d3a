import type { Finding, FindingKind } from '../../../model/critic/finding.ts';
import type { KernelEnv } from '../../env.ts';
import { markCompromised } from '../../query/rollback/fork.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Reaction } from '../../transition/reaction.ts';
import { escalateRun } from './escalate.ts';

/**
 * Handles findings that no score outweighs. An unsafe finding ends the run and alerts security. A divergence from the
 * goal is escalated, because a model must not judge it itself. Null if there is none.
 */
export function handleSevereFinding(
  env: KernelEnv,
  state: RunState,
  findings: readonly Finding[],
  stepId: string | null,
): Reaction | null {
  if (findings.length === 0) return null;
  const unsafe = severe(findings, 'unsafe');
  if (unsafe.length > 0) {
    const detail = { step_id: stepId, findings: unsafe };
    const stop = { code: 'UNSAFE_DETECTION', reason: 'unsafe_finding', detail } as const;
    const confirmed = findings.find((finding) => finding.kind === 'unsafe' && finding.compromised === true);
    return escalateRun(
      env,
      state,
      'security_breach',
      confirmed === undefined ? stop : markCompromised(stop, confirmed.detail),
    );
  }
  const drift = severe(findings, 'goal_divergence');
  if (drift.length === 0) return null;
  const plan_id = state.planning.active?.plan.plan_id ?? null;
  const detail = { step_id: stepId, goal: state.intake.goal?.statement ?? '', plan_id, drift };
  return escalateRun(env, state, 'plan_divergence', { code: 'REVIEW_REQUIRED', reason: 'goal_divergence', detail });
}

const severe = (findings: readonly Finding[], kind: FindingKind): readonly string[] =>
  findings.filter((finding) => finding.kind === kind && finding.severity === 'high').map(({ detail }) => detail);
