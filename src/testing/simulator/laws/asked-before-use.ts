import { canonicalize } from '../../../model/json/canonical.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { Law, Witness } from './law.ts';

/**
 * A data scope that needs confirmation is closed until a person approves it. If memory writes need approval, exactly
 * the approved entries are written.
 */
export function askedBeforeUse({ scenario, approvals, blobs }: Witness): Law {
  return {
    name: 'asked before it is read or remembered',
    event: ({ after, effects }) => {
      const { observations, state_writes } = scenario.pins.agent.boundary;
      const open = after.intake.token?.data_scopes.filter((scope) => observations.confirm_scopes.includes(scope)) ?? [];
      for (const scope of open) {
        if (!isApproved('GATE_SCOPE_CONFIRMATION', ({ scopes }) => Array.isArray(scopes) && scopes.includes(scope)))
          return `nobody opened ${scope}`;
      }
      if (state_writes.persistent_memory !== 'approval') return null;
      for (const effect of effects) {
        if (effect.kind !== 'write_memory') continue;
        const shown = canonicalize(effect.entries as unknown as Json);
        if (!isApproved('GATE_MEMORY_WRITE', ({ entries = null }) => canonicalize(entries) === shown))
          return `nobody said that ${effect.entries.map(({ entry_id }) => entry_id).join(', ')} may be remembered`;
      }
      return null;
    },
  };

  function isApproved(gate: string, fits: (packet: JsonObject) => boolean): boolean {
    return approvals.some(({ packetHash, approver }) => {
      const text = blobs.get(packetHash as Address);
      const packet = text === undefined || approver === '' ? {} : (JSON.parse(text) as JsonObject);
      return packet['gate'] === gate && fits(packet);
    });
  }
}
