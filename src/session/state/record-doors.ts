import type { RunState } from '../../kernel/state.ts';
import { vecToArray } from '../../kernel/vec.ts';
import type { AuditEntry } from '../../model/audit-entry.ts';
import type { EventBody, RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import { parse } from '../../model/parse.ts';
import { StateCategory, StateReader } from '../../model/state-store.ts';
import type { Transcript } from '../../model/transcript.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MemoryStore } from '../../ports/memory-store.ts';
import { given, named, plainly } from '../given.ts';
import { type MemoryDesk, memoryDesk } from '../memory/memory-desk.ts';
import { recordedText } from '../run-contexts.ts';
import type { Scratchpads } from '../scratchpads.ts';
import { assertMayRead, wayToWrite } from './access.ts';
import { isKeptBy } from './kept-text.ts';
import { EvidenceFilter, type ShownEvidence, shownEvidence } from './shown-evidence.ts';

/** Who may read an audit record. The one for whom a run acts, and its agent, are none of them. */
export const AUDITOR_ROLES: readonly string[] = ['compliance', 'sre', 'security'];

/** The stores of a run, each behind the rules it declares. */
export interface RecordDoors {
  /** Reads one of the seven stores as somebody. What is handed out is a copy. */
  readState(runId: string, category: StateCategory, as: StateReader): Promise<Json>;
  /**
   * Writes to one of them as a model or an auditor, in the one way that its rules leave open: a note, or a proposal. A
   * system writes through events alone, and is told so.
   */
  writeState(runId: string, category: StateCategory, as: StateReader, value: Json): Promise<void>;
  /** Approvals, policy versions, exceptions and who answers for them, for whoever proves to be an auditor. */
  auditRecord(runId: string, credential: Credential): Promise<readonly AuditEntry[]>;
  /** A text that a run has kept beside its journal: a packet it showed, or a large answer. */
  document(runId: string, address: string): Promise<string>;
  /**
   * The value behind an address in `evidence` of a packet that waits for somebody, and of no other. With a credential, for
   * somebody who may decide at its gate; a signature is over `evidenceText`.
   */
  evidence(address: string, credential?: Credential, filter?: EvidenceFilter): Promise<ShownEvidence>;
  /** What is remembered across runs: to look at, to put away, to build anew from the trace. */
  readonly memories: MemoryDesk;
}

export interface RecordRoom {
  readonly journal: Journal;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly memory?: MemoryStore;
  readonly pads: Scratchpads;
  readonly frames: (runId: string) => Promise<readonly Frame[]>;
  readonly look: (runId: string) => Promise<RunState>;
  readonly tell: (runId: string, said: EventBody) => Promise<unknown>;
  readonly hash: Hash;
  readonly transcripts: (runId: string, events: readonly RunEvent[]) => readonly Transcript[];
  readonly audit: (frames: readonly Frame[], hash: Hash) => readonly AuditEntry[];
}

export function recordDoors(room: RecordRoom): RecordDoors {
  const { journal, clock, memory, frames } = room;
  return {
    memories: memoryDesk({ store: memory, journal, clock }),
    readState: async (runId, given, as) => {
      const category = parse(StateCategory, given, 'input_invalid');
      assertMayRead(category, parse(StateReader, as, 'input_invalid'));
      return JSON.parse(JSON.stringify(await contentOf(room, runId, category))) as Json;
    },
    writeState: async (runId, given, as, value) => {
      const category = parse(StateCategory, given, 'input_invalid');
      const way = wayToWrite(category, parse(StateReader, as, 'input_invalid'));
      const state = await room.look(runId);
      if (way === 'free')
        return void room.pads.of(state).note(typeof value === 'string' ? value : JSON.stringify(value));
      if (way === 'discard') return room.pads.discard(state);
      if (way === 'propose') {
        const body = { type: 'proposal_made', kind: 'observation_summary', payload: value } as const;
        return void (await room.tell(runId, body));
      }
      const message = `${category} is written by the events of the run alone (${way}): nobody hands it a value`;
      throw new Fault('state_write_refused', message, { path: `/${category}` });
    },
    document: async (runId, asked) => {
      const address = named(asked);
      const events = (await frames(runId)).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
      if (!isKeptBy(events, address))
        throw new Fault('blob_missing', `the run ${runId} has kept nothing at ${address}`);
      return await journal.blob(address as `sha256:${string}`);
    },
    evidence: async (address, credential, filter = {}) => {
      const shown = credential === undefined ? undefined : plainly(() => given(credential));
      const asked = parse(
        EvidenceFilter,
        plainly(() => given(filter)),
        'input_invalid',
      );
      return await shownEvidence(room, named(address), shown, asked);
    },
    auditRecord: async (runId, credential) => {
      const found = await frames(runId);
      await assertAuditor(room, runId, credential);
      return room.audit(found, room.hash);
    },
  };
}

async function assertAuditor({ approvers, look, clock }: RecordRoom, runId: string, given: Credential): Promise<void> {
  const credential = parse(Credential, given, 'input_invalid');
  const { id, session } = await look(runId);
  const established = await approvers.establish({
    text: (key_id, signed_at) => `read the audit record of ${runId} with ${key_id} at ${signed_at}`,
    credential,
    tenantId: id.tenantId,
    since: Math.min(session.startedAt, clock.nowMs()),
  });
  if (!established.ok) throw new Fault(established.code, established.message);
  if (established.proof.roles.some((role) => AUDITOR_ROLES.includes(role))) return;
  const message = `an audit record is read by ${AUDITOR_ROLES.join(', ')}, and ${established.approver} is none of them`;
  throw new Fault('permission_denied', message);
}

/** What a store holds of a run. */
async function contentOf(room: RecordRoom, runId: string, category: StateCategory): Promise<unknown> {
  const state = await room.look(runId);
  switch (category) {
    case 'scratchpad':
      return room.pads.of(state).notes();
    case 'task_state':
      return taskState(state);
    case 'evidence':
      return { items: await contextItems(room, state), committed: vecToArray(state.work.evidence) };
    case 'observations':
      return room.transcripts(
        runId,
        (await room.frames(runId)).flatMap(({ events }) => JSON.parse(events) as RunEvent[]),
      );
    case 'persistent_memory':
      return room.memory === undefined
        ? []
        : (await room.memory.recall({ tenant: state.id.tenantId, now: room.clock.nowMs() })).entries;
    case 'execution_trace':
      return await room.frames(runId);
    case 'audit_record':
      return room.audit(await room.frames(runId), room.hash);
  }
}

function taskState({ work, planning, session, position }: RunState): object {
  const { version, evidenceByType, decided, unresolved } = work;
  const plan_id = planning.active?.plan.plan_id ?? null;
  return {
    version,
    plan_id,
    node: position.node,
    status: session.status,
    evidence: evidenceByType,
    decided,
    unresolved,
  };
}

async function contextItems({ journal }: RecordRoom, { intake }: RunState): Promise<Json> {
  if (intake.context === undefined) return [];
  const { items } = JSON.parse(await recordedText(journal, intake.context, 'compiled context')) as { items: Json };
  return items;
}
