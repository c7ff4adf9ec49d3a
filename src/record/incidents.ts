import type { RunEvent } from '../model/events/event.ts';
import type { ToolRegistry } from '../model/tool/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { KillSwitchStore } from '../ports/journal/kill-switches.ts';
import { type UnapprovedCall, unapprovedCalls } from './unapproved.ts';

/** An unapproved call that an audit found. A kill switch blocks its repetition until it is lifted. */
export interface Incident extends UnapprovedCall {
  readonly incident_id: string;
  readonly kind: 'mutation_without_approval';
  readonly run_id: string;
}

/** Dependencies of an audit: the store of kill switches, the pinned registry and the clock. */
export interface AuditDeps {
  readonly journal: Pick<KillSwitchStore, 'throwSwitch' | 'killSwitches'>;
  readonly pins: { readonly agent: { readonly name: string }; readonly registry: ToolRegistry };
  readonly ports: { readonly clock: Clock };
}

/**
 * Opens an incident for every call that lacked its approval, and blocks this tool for this agent with a kill switch. A
 * repeated audit does not set a switch again that was lifted since.
 */
export async function auditTrace(
  { journal, pins, ports }: AuditDeps,
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
