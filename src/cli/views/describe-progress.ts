import type { PendingGate } from '../../approvals.ts';
import { escapeText } from '../terminal/escape.ts';

/** Describes the gates of a call and what is still open: `GATE_A (approved by ana), GATE_B`. */
export const describeProgress = (gates: PendingGate['gates']): string =>
  gates
    .map(({ name, decided_by }) => (decided_by === null ? name : `${name} (approved by ${escapeText(decided_by)})`))
    .join(', ');
