import type { ApprovalPacket } from '../model/approval-packet.ts';
import type { GateRow } from './journal-rows.ts';

/**
 * Tells people that a gate waits for them. Their answer does not come back this way: it is an event of its own.
 * Telling is at least once and may fail; the open gate in the journal is what counts.
 */
export interface Inbox {
  notify(gate: GateRow, packet: ApprovalPacket): Promise<void>;
}
