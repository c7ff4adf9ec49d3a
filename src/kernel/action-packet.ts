import type { ApprovalPacket } from '../model/approval-packet.ts';
import type { EscalationTrigger } from '../model/escalation.ts';
import type { Address } from '../model/hash.ts';
import { realCalls } from '../model/inner-call.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import { recipientFor } from './escalate.ts';
import { evidenceHash, evidenceSnapshot } from './evidence-snapshot.ts';
import { decidersOf } from './gate-policy.ts';
import { blastRadius, rollbackPath } from './hazards.ts';
import { impossible } from './reaction.ts';
import { stepAtHand } from './rollback/step-at-hand.ts';
import { shownProvenance } from './shown-provenance.ts';
import { specOf } from './spec-of.ts';
import type { ActivePlan, CurrentStep, RunState } from './state.ts';

/** A call with everything a person has to know of it, except which gate asks and until when. */
export type ActionShown = Omit<ApprovalPacket, 'gate' | 'deciders' | 'expires_at'>;

/** Freezes the call at hand: what would leave, what it rests on, what it may do, and for whom. */
export function showAction(env: KernelEnv, state: RunState): ActionShown {
  const { current, planning, intake, id } = state;
  const { active } = planning;
  const step = stepAtHand(state);
  if (current === null || step === undefined) throw impossible('an action without a step', state);
  const calls = realCalls({ tool: current.tool, args: current.args }, (tool) => env.tools.get(tool));
  if (calls === null) throw impossible(`${current.tool} does not say what it would call`, state);
  const real = calls.at(-1) ?? calls[0];
  const spec = env.tools.get(real.tool);
  if (spec === undefined) throw impossible(`there is no tool ${real.tool}`, state);
  const evidence = evidenceSnapshot(
    env,
    state,
    calls.map(({ tool }) => tool),
  );
  return {
    kind: 'action',
    run_id: id.runId,
    step_id: current.stepId,
    action: real.tool,
    parameters: real.args,
    args_hash: current.argsHash as Address,
    via: calls.length === 1 ? null : { action: current.tool, parameters: current.args },
    plan_id: active?.plan.plan_id ?? null,
    plan_hash: (active?.hash ?? null) as Address | null,
    position: positionOf(active, current),
    evidence_refs: evidence.map(({ evidence_id }) => evidence_id),
    evidence,
    evidence_hash: evidenceHash(env, evidence),
    approval_mode: current.mode,
    blast_radius: blastRadius(spec),
    rollback_path: rollbackPath(spec),
    ...(current.preview === undefined ? {} : { preview: current.preview }),
    cost: specOf(env, current.tool).cost,
    risk: intake.risk,
    provenance: shownProvenance(env, state, calls),
    requested_by: intake.identity?.actor ?? 'nobody',
    requested_from: recipientFor(triggerOf(spec), state.manifest?.autonomy_boundary.escalation_paths ?? []),
  };
}

/** Which step of the plan it is; what takes an effect back is none of them. */
function positionOf(active: ActivePlan | null, { index }: CurrentStep): ApprovalPacket['position'] {
  const n = active === null ? 0 : active.index.order.indexOf(index) + 1;
  return active === null || n === 0 ? null : { n, of: active.plan.steps.length };
}

/** The packet of one gate: the same action for every gate of a call, and who decides at this one. */
export function actionPacket(env: KernelEnv, shown: ActionShown, gate: string, expiresAt: number): JsonObject {
  const packet: ApprovalPacket = { ...shown, gate, deciders: decidersOf(env, gate), expires_at: expiresAt };
  return packet as unknown as Readonly<Record<string, Json>>;
}

/** Whose authority the action touches, by the kind of tool. */
function triggerOf({ category }: ToolSpec): EscalationTrigger {
  if (category === 'payment') return 'financial_commitment';
  return category === 'email_calendar' ? 'external_communication' : 'high_impact_mutation';
}
