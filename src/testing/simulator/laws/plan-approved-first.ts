import type { Address } from '../../../model/json/hash.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import { type Law, takenBackBy, type Witness } from './law.ts';

/**
 * In the supervised graph no call is sent under an unapproved plan. A compensation belongs to the plan of the call that
 * it compensates, even after a new plan.
 */
export function planApprovedFirst({ scenario, approvals, blobs }: Witness): Law {
  const lawful = new Set<string>();
  return {
    name: 'plan approved first',
    event: ({ after, effects }) => {
      if (scenario.graph !== 'supervised') return null;
      for (const effect of effects) {
        if (effect.kind !== 'call_tool') continue;
        const undone = takenBackBy(after, effect.call);
        if (undone !== null) {
          if (lawful.has(undone.callId)) continue;
          return `${undone.callId} is taken back, which never left under an approved plan`;
        }
        const hash = after.planning.active?.hash;
        if (!isApproved(hash)) return `a call went out under the plan ${hash}, which nobody approved`;
        lawful.add(effect.call.call_id);
      }
      return null;
    },
  };

  function isApproved(hash: string | undefined): boolean {
    return approvals.some(({ packetHash }) => {
      const text = blobs.get(packetHash as Address);
      const packet = text === undefined ? {} : (JSON.parse(text) as JsonObject);
      return packet['gate'] === 'GATE_PLAN_APPROVAL' && packet['plan_hash'] === hash;
    });
  }
}
