import type { JsonObject } from 'ambit';
import { ApprovalPacket } from 'ambit/model';
import { bad, bold, dim, json, MARGIN } from './layout.ts';

/** The approval packet exactly as the person sees it. */
export function shownPacket(shown: JsonObject, hash: string): readonly string[] {
  const packet = ApprovalPacket.parse(shown);
  const { position, evidence, deciders } = packet;
  const sources = Object.entries(packet.provenance).map(
    ([pointer, { source, trusted }]) => `${pointer || 'all'} from ${source}${trusted ? '' : bad(' (untrusted)')}`,
  );
  return [
    `${MARGIN}${bold(packet.action)} ${json(packet.parameters)}`,
    `${MARGIN}step ${position?.n} of ${position?.of}, ${packet.approval_mode}, risk ${packet.risk}`,
    `${MARGIN}arguments ${sources.join(', ') || 'as planned'}`,
    `${MARGIN}evidence ${evidence.map(({ evidence_id, source }) => `${evidence_id} (${source})`).join(', ')}`,
    `${MARGIN}blast radius: ${packet.blast_radius}`,
    `${MARGIN}rollback: ${packet.rollback_path}`,
    `${MARGIN}approvals needed: ${deciders.quorum}, by role ${deciders.roles.join(', ') || 'any'}, never by ${packet.requested_by}`,
    dim(`${MARGIN}packet ${hash}`),
  ];
}
