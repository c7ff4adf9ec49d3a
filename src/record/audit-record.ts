import type { EventType, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { type Address, address, type Hash } from '../model/json/hash.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import type { AuditEntry } from '../model/record/audit-entry.ts';

/**
 * The audit record of a run: hash-chained entries derived from its frames. The last entry counts them, so that a record
 * without its end is not complete.
 */
export function auditRecordOf(frames: readonly Frame[], hash: Hash): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  const add = ({ session: run_id, hash: frame }: Frame, at: number, content: EntryContent): void => {
    const body = { entry_id: `audit_${run_id}_${entries.length + 1}`, run_id, at, frame, ...content };
    entries.push({ ...body, hash: chained(hash, body, entries.at(-1)?.hash ?? null) });
  };
  for (const frame of frames) {
    for (const event of frameEvents(frame)) {
      const content = entryContentOf(event);
      if (content !== null) add(frame, event.at, content);
    }
  }
  const last = frames.at(-1);
  if (last !== undefined) add(last, last.at, endOf(entries.length + 1, last.seq));
  return entries;
}

/** The content of the last entry: the number of entries, itself included, and of the frames that they come from. */
const endOf = (entries: number, frames: number): EntryContent => ({
  kind: 'owner',
  who: 'ambit',
  what: { entries, frames },
});

/** The first problem of an audit record. */
export interface AuditProblem {
  /** The entry; null for a record without entries. */
  readonly entry_id: string | null;
  /** `cut_off`: the entries after this one are missing. `empty`: every record has entries. */
  readonly why: 'altered' | 'out_of_place' | 'cut_off' | 'empty';
}

/** Finds the first entry that was changed, moved or cut off since the record was made; null if the record is intact. */
export const verifyAuditRecord: (entries: readonly AuditEntry[], hash: Hash) => AuditProblem | null = guardInput(
  'verifyAuditRecord',
  firstProblem,
);

function firstProblem(entries: readonly AuditEntry[], hash: Hash): AuditProblem | null {
  const last = entries.at(-1);
  if (last === undefined) return { entry_id: null, why: 'empty' };
  let before: Address | null = null;
  for (const [place, { hash: recordedHash, ...body }] of entries.entries()) {
    if (!body.entry_id.endsWith(`_${place + 1}`)) return { entry_id: body.entry_id, why: 'out_of_place' };
    if (chained(hash, body, before) !== recordedHash) return { entry_id: body.entry_id, why: 'altered' };
    before = recordedHash;
  }
  return last.what['entries'] === entries.length ? null : { entry_id: last.entry_id, why: 'cut_off' };
}

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
  gate_decided: ({ approver, decision, gate_id, gates, packet_hash, reason }) => ({
    kind: 'approval',
    who: approver,
    what: { decision, gate_id, ...(gates === undefined ? {} : { gates }), packet_hash, reason },
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
