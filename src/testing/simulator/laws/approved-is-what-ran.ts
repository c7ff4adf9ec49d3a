import type { EffectOf } from '../../../model/events/effect.ts';
import { PROVENANCE_GATE } from '../../../model/evidence/origin.ts';
import { compareModes, runsInline } from '../../../model/gate/approval-mode.ts';
import { packetGates } from '../../../model/gate/gate-terms.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { hashCall } from '../../../model/tool/step-input.ts';
import { type Law, type Moment, takenBackBy, type Witness } from './law.ts';

/**
 * A call that needs approval is sent only with the arguments and under the plan that a named person approved, at every
 * gate it needs. The law reads the stored packet, not the kernel's memory of it.
 */
export function approvedIsWhatRan(witness: Witness): Law {
  return {
    name: 'approved is what ran',
    event: (moment) => {
      for (const effect of moment.effects) {
        const problem = effect.kind === 'call_tool' ? problemWith(witness, moment, effect) : null;
        if (problem !== null) return problem;
      }
      return null;
    },
  };
}

/** A call and the mode it was sent in; null for a lane, which has no mode of its own. */
type GoneOut = Pick<EffectOf<'call_tool'>, 'call' | 'inputs'> & { readonly mode: EffectOf<'call_tool'>['mode'] | null };

export function problemWith(witness: Witness, { after }: Moment, { call, inputs, mode }: GoneOut): string | null {
  const { env } = witness.scenario.pins;
  const active = after.planning.active;
  const spec = env.tools.get(call.tool);
  const undone = takenBackBy(after, call);
  const step: PlanStep | undefined =
    undone === null ? active?.plan.steps.find(({ id }) => id === call.step_id) : { id: call.step_id, tool: call.tool };
  if (spec === undefined || step === undefined || step.tool !== call.tool) {
    return `${call.call_id} is not a step of the verified plan`;
  }
  if (hashCall(env.hash, call.args, inputs) !== call.args_hash)
    return `${call.call_id} carries other arguments than its hash`;
  const declared = step.approval_mode ?? spec.approval_mode;
  const strictest = compareModes(declared, spec.approval_mode) > 0 ? declared : spec.approval_mode;
  if (mode !== null && mode !== strictest) return `${call.call_id} went out as ${mode}, not as ${strictest}`;
  const gates = new Set([...spec.gates, ...(step.requires ?? [])]);
  // Compensations are in no verified plan. If their tool names no gate, only the provenance gate is left.
  if (gates.size === 0 && undone?.trusted === false && !runsInline(strictest)) gates.add(PROVENANCE_GATE);
  if (gates.size === 0 && !runsInline(strictest)) return `${call.call_id} is ${strictest} and passed no gate`;
  for (const gate of gates) {
    const shown = {
      gate,
      step_id: step.id,
      action: call.tool,
      args_hash: call.args_hash,
      plan_hash: active?.hash ?? null,
    };
    if (!wasApproved(witness, shown, call.args)) return `nobody approved ${call.call_id} (${call.tool}) at ${gate}`;
  }
  return null;
}

function wasApproved(
  { approvals, blobs }: Witness,
  shown: JsonObject & { readonly gate: string },
  args: JsonObject,
): boolean {
  const { gate, ...about } = shown;
  return approvals.some(({ packetHash, approver, gates }) => {
    const text = blobs.get(packetHash as Address);
    if (text === undefined || approver === '') return false;
    const packet = JSON.parse(text) as JsonObject & Parameters<typeof packetGates>[0];
    const listed = packetGates(packet).some(({ name }) => name === gate);
    if (!listed || !(gates ?? [packet.gate]).includes(gate)) return false;
    const same = Object.entries(about).every(([key, value]) => packet[key] === value);
    return same && canonicalize(packet['parameters'] ?? null) === canonicalize(args);
  });
}
