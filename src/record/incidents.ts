import type { RunEvent } from '../model/event.ts';
import type { ToolRegistry } from '../model/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { KillSwitches } from '../ports/kill-switches.ts';
import { type UnapprovedCall, unapprovedCalls } from './unapproved.ts';

/** What an audit of a run found, and the switch that keeps it from happening again until somebody has looked. */
export interface Incident extends UnapprovedCall {
  readonly incident_id: string;
  readonly kind: 'mutation_without_approval';
  readonly run_id: string;
}

/** What a trace is read with, and where the switches are. */
export interface AuditRoom {
  readonly journal: Pick<KillSwitches, 'throwSwitch' | 'killSwitches'>;
  readonly pins: { readonly agent: { readonly name: string }; readonly registry: ToolRegistry };
  readonly ports: { readonly clock: Clock };
}

/**
 * Opens an incident for every call that lacked its approval, and disables the path it took: this tool, for this agent.
 * An audit that finds the same once more leaves a switch alone that somebody has lifted since.
 */
export async function auditTrace(
  { journal, pins, ports }: AuditRoom,
  run_id: string,
  events: readonly RunEvent[],
): Promise<readonly Incident[]> {
  const tools = new Map(pins.registry.tools.map((spec) => [spec.name, spec]));
  const known = new Set((await journal.killSwitches()).map(({ switch_id }) => switch_id));
  const incidents: Incident[] = [];
  for (const call of unapprovedCalls(events, (name) => tools.get(name))) {
    const incident_id = `incident_${run_id}_${call.call_id}`;
    incidents.push({ incident_id, kind: 'mutation_without_approval', run_id, ...call });
    if (known.has(incident_id)) continue;
    const thrown = { by: 'ambit:audit', reason: reasonFor(run_id, call), at: ports.clock.nowMs() };
    const scope = { agent: pins.agent.name, tool: call.tool };
    await journal.throwSwitch({ switch_id: incident_id, scope, thrown, lifted: null });
  }
  return incidents;
}

function reasonFor(runId: string, { call_id, missing }: UnapprovedCall): string {
  const lacking = missing.length === 0 ? 'without any gate' : `without ${missing.join(', ')}`;
  return `${call_id} of ${runId} was sent ${lacking}: look into it before this is called again`;
}
