import type { Address } from '../../../model/hash.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Law, Witness } from './law.ts';

/** In a graph that puts every plan before a person, no call leaves under a plan that nobody said yes to. */
export function planApprovedFirst({ scenario, approvals, blobs }: Witness): Law {
  return {
    name: 'plan approved first',
    event: ({ after, effects }) => {
      if (scenario.graph !== 'supervised' || !effects.some(({ kind }) => kind === 'call_tool')) return null;
      const hash = after.planning.active?.hash;
      const approved = approvals.some(({ packetHash }) => {
        const text = blobs.get(packetHash as Address);
        const packet = text === undefined ? {} : (JSON.parse(text) as JsonObject);
        return packet['gate'] === 'GATE_PLAN_APPROVAL' && packet['plan_hash'] === hash;
      });
      return approved ? null : `a call went out under the plan ${hash}, which nobody approved`;
    },
  };
}
