import type { EventType, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { type Address, address, type Hash } from '../model/json/hash.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import type { AuditEntry } from '../model/record/audit-entry.ts';

/** The audit record of a run: hash-chained entries derived from its frames. */
export function auditRecordOf(frames: readonly Frame[], hash: Hash): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const frame of frames) {
    for (const event of frameEvents(frame)) {
      const content = entryContentOf(event);
      if (content === null) continue;
      const entry_id = `audit_${frame.session}_${entries.length + 1}`;
      const body = { entry_id, run_id: frame.session, at: event.at, frame: frame.hash, ...content };
      entries.push({ ...body, hash: chained(hash, body, entries.at(-1)?.hash ?? null) });
    }
  }
  return entries;
}

/** The first entry that was changed or moved since the record was made; null if the record is intact. */
export const verifyAuditRecord: (
  entries: readonly AuditEntry[],
  hash: Hash,
) => { readonly entry_id: string; readonly why: 'altered' | 'out_of_place' } | null = guardInput(
  'verifyAuditRecord',
  (
    entries: readonly AuditEntry[],
    hash: Hash,
  ): { readonly entry_id: string; readonly why: 'altered' | 'out_of_place' } | null => {
    let before: Address | null = null;
    for (const [place, { hash: recordedHash, ...body }] of entries.entries()) {
      if (!body.entry_id.endsWith(`_${place + 1}`)) return { entry_id: body.entry_id, why: 'out_of_place' };
      if (chained(hash, body, before) !== recordedHash) return { entry_id: body.entry_id, why: 'altered' };
      before = recordedHash;
    }
    return null;
  },
);

const chained = (hash: Hash, body: Omit<AuditEntry, 'hash'>, before: Address | null): Address =>
  address(hash, { ...body, before } as unknown as Json);

type EntryContent = Pick<AuditEntry, 'kind' | 'who' | 'what'>;
type EntryReader<T extends EventType> = (event: Extract<RunEvent, { readonly type: T }>) => EntryContent;

/** The events that an audit record contains, with the entry of each. */
const ENTRY_READERS: { readonly [T in EventType]?: EntryReader<T> } = {
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
  run_migrated: ({ by, from, to, tools, reason }) => ({
    kind: 'exception',
    who: by,
    what: {
      from: { ...from },
      to: { ...to },
      ...(tools === undefined ? {} : { tools: tools as unknown as JsonObject }),
      reason,
    },
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

function entryContentOf(event: RunEvent): EntryContent | null {
  const read = ENTRY_READERS[event.type] as ((event: RunEvent) => EntryContent) | undefined;
  if (read === undefined) return null;
  const { kind, who, what } = read(event);
  return { kind, who, what: what as JsonObject };
}
