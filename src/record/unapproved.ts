import { type ApprovalMode, compareModes, runsInline } from '../model/approval-mode.ts';
import type { EventOf, RunEvent } from '../model/event.ts';
import { ANYBODY_ELSE, GATE_MODE_APPROVAL } from '../model/gate.ts';
import type { ToolSpec } from '../model/tool.ts';

/** A call on record that changed something, or may have, without the approval that it needed. */
export interface UnapprovedCall {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  /** Gates that nobody had opened for it; none where no gate stood before it at all. */
  readonly missing: readonly string[];
  readonly at: number;
}

interface Asked {
  readonly name: string;
  readonly stepId: string | null;
  readonly quorum: number;
  readonly approvers: Set<string>;
  usedBy: string | null;
}

/**
 * Reads a trace as somebody who believes none of its clearances: which gates a call needs is what the tool says and what
 * the trace itself admits to, whichever is more, and they were open if people are on record as having opened them.
 */
export function unapprovedCalls(
  events: readonly RunEvent[],
  toolOf: (name: string) => ToolSpec | undefined,
): readonly UnapprovedCall[] {
  let asked = new Map<string, Asked>();
  const cleared = new Map<string, EventOf<'step_cleared'>>();
  const found: UnapprovedCall[] = [];
  for (const event of events) {
    // What was approved under another plan was approved for that one.
    if (event.type === 'plan_proposed') asked = new Map();
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

function askedAt({ name, step_id, deciders = ANYBODY_ELSE }: EventOf<'gate_opened'>): Asked {
  return { name, stepId: step_id, quorum: deciders.quorum, approvers: new Set(), usedBy: null };
}

function note(gate: Asked | undefined, { decision, approver, dismissed = [] }: EventOf<'gate_decided'>): void {
  if (gate === undefined || decision !== 'approve') return;
  for (const name of dismissed) gate.approvers.delete(name);
  gate.approvers.add(approver);
}

interface Needed {
  readonly gates: readonly string[];
  /** It could not run unseen, and there is no gate at which anybody would have seen it. */
  readonly unseen: boolean;
}

/** Null for a call that needs nobody: it changes nothing, or only what is the run's own, and no gate is named for it. */
function neededBy(spec: ToolSpec | undefined, cleared: EventOf<'step_cleared'> | undefined): Needed | null {
  const mode = stricter(spec?.approval_mode ?? 'destructive', cleared?.mode ?? 'read_only');
  const named = new Set([...(spec?.gates ?? []), ...(cleared?.gates ?? [])]);
  if (mode === 'read_only' || (runsInline(mode) && named.size === 0)) return null;
  const permitted = cleared?.granted !== undefined || cleared?.standing !== undefined;
  const gates = [...named].filter((gate) => !(permitted && gate === GATE_MODE_APPROVAL));
  return { gates, unseen: named.size === 0 };
}

const stricter = (a: ApprovalMode, b: ApprovalMode): ApprovalMode => (compareModes(a, b) >= 0 ? a : b);

/** Whether enough people opened such a gate for this step, for this call and no other. */
function opened(asked: ReadonlyMap<string, Asked>, gate: string, call: EventOf<'step_attempted'>): boolean {
  const key = call.idempotency_key;
  const fitting = [...asked.values()].find(
    ({ name, stepId, quorum, approvers, usedBy }) =>
      name === gate && stepId === call.step_id && approvers.size >= quorum && (usedBy === null || usedBy === key),
  );
  if (fitting === undefined) return false;
  fitting.usedBy = key;
  return true;
}
