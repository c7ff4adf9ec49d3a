import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import type { Hash } from '../model/hash.ts';

/** Freezes what a person will be shown. Its address is what the decision has to be about, word for word. */
export function openGate(
  effect: EffectOf<'open_gate'>,
  hash: Hash,
): { readonly event: EventBody; readonly packet: Blob } {
  const packet = toBlob(canonicalize(effect.packet), hash);
  const event: EventBody = {
    type: 'gate_opened',
    gate_id: effect.gate_id,
    name: effect.name,
    gate_kind: effect.gate_kind,
    step_id: effect.step_id,
    packet_hash: packet.address,
    expires_at: effect.expires_at,
  };
  return { event, packet };
}
