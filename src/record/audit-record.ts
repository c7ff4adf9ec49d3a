import type { AuditEntry } from '../model/audit-entry.ts';
import type { EventType, RunEvent } from '../model/event.ts';
import type { Frame } from '../model/frame.ts';
import { type Address, address, type Hash } from '../model/hash.ts';
import type { Json, JsonObject } from '../model/json.ts';

/** What a run leaves for those who have to answer for it: read from its frames, and chained. */
export function auditRecordOf(frames: readonly Frame[], hash: Hash): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const frame of frames) {
    for (const event of JSON.parse(frame.events) as readonly RunEvent[]) {
      const said = told(event);
      if (said === null) continue;
      const entry_id = `audit_${frame.session}_${entries.length + 1}`;
      const body = { entry_id, run_id: frame.session, at: event.at, frame: frame.hash, ...said };
      entries.push({ ...body, hash: chained(hash, body, entries.at(-1)?.hash ?? null) });
    }
  }
  return entries;
}

/** The first entry that is not what it was when the record was made, and why; null where all of them are. */
export function verifyAuditRecord(
  entries: readonly AuditEntry[],
  hash: Hash,
): { readonly entry_id: string; readonly why: 'altered' | 'out_of_place' } | null {
  let before: Address | null = null;
  for (const [place, { hash: said, ...body }] of entries.entries()) {
    if (!body.entry_id.endsWith(`_${place + 1}`)) return { entry_id: body.entry_id, why: 'out_of_place' };
    if (chained(hash, body, before) !== said) return { entry_id: body.entry_id, why: 'altered' };
    before = said;
  }
  return null;
}

const chained = (hash: Hash, body: Omit<AuditEntry, 'hash'>, before: Address | null): Address =>
  address(hash, { ...body, before } as unknown as Json);

type Said = Pick<AuditEntry, 'kind' | 'who' | 'what'>;
type Teller<T extends EventType> = (event: Extract<RunEvent, { readonly type: T }>) => Said;

/** What of a run is for an auditor. */
const TELLERS: { readonly [T in EventType]?: Teller<T> } = {
  goal_received: ({ identity, goal, tenant_id }) => ({
    kind: 'owner',
    who: identity.actor,
    what: { tenant_id, goal: goal.statement, roles: identity.roles },
  }),
  run_initialized: ({ manifest }) => ({
    kind: 'policy_version',
    who: manifest.agent,
    what: {
      policy_version: manifest.policy_version,
      boundary_version: manifest.autonomy_boundary_version,
      decision_catalog_version: manifest.decision_catalog_version,
      tool_registry_version: manifest.tool_registry_version,
      rubric_version: manifest.rubric_version,
    },
  }),
  gate_decided: ({ approver, decision, gate_id, packet_hash, reason }) => ({
    kind: 'approval',
    who: approver,
    what: { decision, gate_id, packet_hash, reason },
  }),
  escalation_decided: ({ by, decision, reason }) => ({ kind: 'approval', who: by, what: { decision, reason } }),
  budget_extended: ({ by, delta, reason }) => ({ kind: 'exception', who: by, what: { delta, reason } }),
  run_migrated: ({ by, from, to, reason }) => ({
    kind: 'exception',
    who: by,
    what: { from: { ...from }, to: { ...to }, reason },
  }),
  run_taken_over: ({ by, from, reason }) => ({ kind: 'exception', who: by, what: { from, reason } }),
  run_steered: ({ by, note }) => ({ kind: 'exception', who: by, what: { note } }),
  decision_refused: ({ claimed_by, gate_id, code, message }) => ({
    kind: 'exception',
    who: claimed_by,
    what: { gate_id: gate_id ?? null, code, message },
  }),
  violation_noted: ({ violation, subject, why }) => ({
    kind: 'exception',
    who: 'model',
    what: { violation, subject, why },
  }),
  run_escalated: ({ escalation, stop }) => ({
    kind: 'owner',
    who: escalation.recipient,
    what: { code: stop.code, reason: stop.reason },
  }),
  run_terminated: ({ code, reason, record }) => ({ kind: 'owner', who: 'ambit', what: { code, reason, record } }),
};

function told(event: RunEvent): Said | null {
  const tell = TELLERS[event.type] as ((event: RunEvent) => Said) | undefined;
  if (tell === undefined) return null;
  const { kind, who, what } = tell(event);
  return { kind, who, what: what as JsonObject };
}
