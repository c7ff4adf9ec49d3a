import type { Address } from '../../../model/hash.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Law, Witness } from './law.ts';
import { takenBackBy } from './takes-back.ts';

/**
 * In a graph that puts every plan before a person, no call leaves under a plan that nobody said yes to. What takes back
 * leaves under the plan of the call that it takes back, whatever has been planned since.
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
