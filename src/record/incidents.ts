import type { EventOf, RunEvent } from '../model/events/event.ts';
import { type ApprovalMode, compareModes, runsInline } from '../model/gate/approval-mode.ts';
import { GATE_DECISION_RULES, GATE_MODE_APPROVAL } from '../model/gate/gate.ts';
import { countApproval, type GateTally, isTallied, startTally } from '../model/gate/gate-tally.ts';
import { openedGates } from '../model/gate/gate-terms.ts';
import type { ToolRegistry, ToolSpec } from '../model/tool/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { KillSwitchStore } from '../ports/journal/kill-switches.ts';

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

/** A recorded call that changed something, or may have, without the approval it needed. */
interface UnapprovedCall {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  /** Gates that were not opened for the call; empty if the call had no gate at all. */
  readonly missing: readonly string[];
  readonly at: number;
}

/** A request for approval of one step, with the approvals of each of its gates. */
interface Asked {
  readonly stepId: string | null;
  tally: readonly GateTally[];
  usedBy: string | null;
}

/**
 * Audits a trace without trusting its clearances. A call needs the gates of its tool and those that the trace names; a
 * gate counts as open only if people's approvals are on record.
 */
export function unapprovedCalls(
  events: readonly RunEvent[],
  toolOf: (name: string) => ToolSpec | undefined,
): readonly UnapprovedCall[] {
  let asked = new Map<string, Asked>();
  const cleared = new Map<string, EventOf<'step_cleared'>>();
  const found: UnapprovedCall[] = [];
  for (const event of events) {
    // Approvals hold for one plan and one version of its tools.
    if (event.type === 'plan_proposed' || (event.type === 'run_migrated' && event.tools !== undefined))
      asked = new Map();
    if (event.type === 'gate_opened') asked.set(event.gate_id, askedAt(event));
    if (event.type === 'gate_decided') note(asked.get(event.gate_id), event);
    if (event.type === 'step_cleared') cleared.set(event.step_id, event);
    if (event.type !== 'step_attempted') continue;
    const needed = neededBy(toolOf(event.tool), cleared.get(event.step_id));
    if (needed === null) continue;
    const missing = needed.gates.filter((gate) => !opened(asked, gate, event));
    if (missing.length === 0 && !needed.unseen) continue;
    const { call_id, step_id, tool, at } = event;
    found.push({ call_id, step_id, tool, missing, at });
  }
  return found;
}

function askedAt(event: EventOf<'gate_opened'>): Asked {
  return { stepId: event.step_id, tally: startTally(openedGates(event)), usedBy: null };
}

function note(request: Asked | undefined, event: EventOf<'gate_decided'>): void {
  if (request === undefined || !GATE_DECISION_RULES[event.decision].consents) return;
  request.tally = countApproval(request.tally, event);
}

interface Needed {
  readonly gates: readonly string[];
  /** The call must not run unseen, and it has no gate. */
  readonly unseen: boolean;
}

/** The gates that a call needs. Null if it needs none: it changes nothing outside the run, and no gate is named. */
function neededBy(spec: ToolSpec | undefined, cleared: EventOf<'step_cleared'> | undefined): Needed | null {
  const mode = stricter(spec?.approval_mode ?? 'destructive', cleared?.mode ?? 'read_only');
  const named = new Set([...(spec?.gates ?? []), ...(cleared?.gates ?? [])]);
  if (mode === 'read_only' || (runsInline(mode) && named.size === 0)) return null;
  const permitted = cleared?.granted !== undefined || cleared?.standing !== undefined;
  const gates = [...named].filter((gate) => !(permitted && gate === GATE_MODE_APPROVAL));
  return { gates, unseen: named.size === 0 };
}

const stricter = (a: ApprovalMode, b: ApprovalMode): ApprovalMode => (compareModes(a, b) >= 0 ? a : b);

/** Whether a quorum approved this gate for this step, and the approval was not used by another call. */
function opened(asked: ReadonlyMap<string, Asked>, gate: string, call: EventOf<'step_attempted'>): boolean {
  const key = call.idempotency_key;
  const fitting = [...asked.values()].find(
    ({ tally, stepId, usedBy }) =>
      stepId === call.step_id &&
      tally.some((each) => each.name === gate && isTallied(each)) &&
      (usedBy === null || usedBy === key),
  );
  if (fitting === undefined) return false;
  fitting.usedBy = key;
  return true;
}
