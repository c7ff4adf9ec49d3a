import type { GateStanding } from '../../index.ts';
import { printed, printedJson } from '../terminal/printed.ts';
import { instant } from './instants.ts';

/** What became of a gate that waits for nobody any more: who decided it, how, when and why, or that nobody did. */
export function closedWords({ gate: { status, expires_at }, decided }: GateStanding): string {
  if (decided !== null) {
    const how = decided.decision === 'edit' ? 'edited' : status;
    return `was ${how} by ${printed(decided.by)} at ${instant(decided.at)}: ${printedJson(decided.reason)}`;
  }
  // One that ran out while no process looked is still on record as open.
  if (status === 'expired' || status === 'open') return `expired undecided at ${instant(expires_at)}`;
  return 'was withdrawn: its run needs it no more';
}
