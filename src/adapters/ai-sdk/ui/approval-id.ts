import { isName } from '../../../model/json/name.ts';

/**
 * The approval id that a browser sends back, such as `ambit-gate:gate_run_1_1:sha256:2c5e…`. The hash at the end
 * has a fixed length, so a gate id may contain colons.
 */
const APPROVAL_ID = /^ambit-gate:(.{1,200}):(sha256:[0-9a-f]{64})$/;

export interface ApprovalName {
  readonly gateId: string;
  readonly packetHash: string;
}

export const writeApprovalId = ({ gateId, packetHash }: ApprovalName): string => `ambit-gate:${gateId}:${packetHash}`;

/** Returns null for a text that is not an approval id. */
export function readApprovalId(text: string): ApprovalName | null {
  const [, gateId, packetHash] = APPROVAL_ID.exec(text) ?? [];
  return packetHash === undefined || !isName(gateId) ? null : { gateId, packetHash };
}
