import type { EffectOf } from '../../../model/events/effect.ts';
import type { Stop } from '../../../model/fault/terminal-code.ts';
import { ESCALATION_MATRIX, type EscalationEvent, type EscalationTrigger } from '../../../model/gate/escalation.ts';
import type { HandoverPacket, QuestionPacket, ReviewItem } from '../../../model/gate/handover-packet.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import { toWire } from '../../budget/view.ts';
import { elapsedMs } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { shownDoubts } from '../call/doubted-tool.ts';

/** The packet for the person who has to decide an escalation. */
export function handoverPacket(state: RunState, escalation: EscalationEvent, stop: Stop): HandoverPacket {
  const { escalation_id, step_id, trigger, refs, recipient } = escalation;
  const kind = kindOf(trigger);
  return {
    kind,
    ...(kind === 'review' ? { review: reviewItem(state, trigger) } : {}),
    run_id: state.id.runId,
    escalation_id,
    step_id,
    trigger,
    stop,
    refs,
    budget: state.budget === null ? null : (toWire(state.budget, elapsedMs(state)) as unknown as JsonObject),
    ...shownDoubts(state),
    requested_by: state.intake.identity?.actor ?? 'nobody',
    requested_from: recipient,
    // The escalation expires like a gate, and never after the session.
    expires_at: Math.min(state.people.escalation?.expiresAt ?? state.session.expiresAt, state.session.expiresAt),
  };
}

function reviewItem({ session, position, work, planning, ending }: RunState, trigger: EscalationTrigger): ReviewItem {
  const { version, unresolved, evidenceByType } = work;
  const plan_id = planning.active?.plan.plan_id ?? null;
  return {
    state: {
      status: session.status,
      node: position.node,
      plan_id,
      version,
      unresolved,
      criteria_met: ending.criteriaMet,
    },
    evidence: evidenceByType,
    recommendation: ending.withheld?.text ?? ESCALATION_MATRIX[trigger].recovery,
  };
}

function kindOf(trigger: EscalationTrigger): HandoverPacket['kind'] {
  if (trigger === 'budget_limit') return 'budget';
  return trigger === 'call_in_doubt' ? 'in_doubt' : 'review';
}

export function questionPacket(
  { id, intake, session, people }: RunState,
  { question_id, fields, readings }: EffectOf<'ask_user'>,
): QuestionPacket {
  return {
    kind: 'question',
    run_id: id.runId,
    question_id,
    task: intake.goal?.statement ?? '',
    fields,
    readings,
    requested_from: 'user',
    expires_at: Math.min(people.question?.expiresAt ?? session.expiresAt, session.expiresAt),
  };
}
