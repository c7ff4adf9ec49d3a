import { type RunState, vecToArray } from '../../kernel/index.ts';
import type { EventBody, RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { parse } from '../../model/json/parse.ts';
import type { AuditEntry } from '../../model/record/audit-entry.ts';
import type { Transcript } from '../../model/record/transcript.ts';
import { STATE_STORES, StateCategory, StateReader, type StateWrite } from '../../model/run/state-store.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { MemoryStore } from '../../ports/store/memory-store.ts';
import type { Scratchpads } from '../../session/perform/scratchpads.ts';
import { copyInput, readUntrusted, requireId } from '../../session/read-input.ts';
import { recordedText } from '../../session/run-contexts.ts';
import { createMemoryAdmin, type MemoryAdmin } from '../admin/memory.ts';
import { EvidenceFilter, hasStored, type ShownEvidence, shownEvidence } from './shown-evidence.ts';

/** The roles that may read an audit record. The requester of a run and its agent are not among them. */
export const AUDITOR_ROLES: readonly string[] = ['compliance', 'sre', 'security'];

/** Access to the state stores of a run, each with its own rules. */
export interface RecordQueries {
  /** Reads one of the seven stores in a role. Returns a copy. */
  readState(runId: string, category: StateCategory, as: StateReader): Promise<Json>;
  /**
   * Writes to a store as a model or an auditor, if its rules allow it: a note or a proposal. A system writes only
   * through events; the fault says so.
   */
  writeState(runId: string, category: StateCategory, as: StateReader, value: Json): Promise<void>;
  /** Approvals, policy versions, exceptions and the people responsible for them, for an authenticated auditor. */
  auditRecord(runId: string, credential: Credential): Promise<readonly AuditEntry[]>;
  /** A blob that a run has stored: a packet or a large result. */
  document(runId: string, address: string): Promise<string>;
  /**
   * The value of an address in the `evidence` of an open packet. A credential must belong to a person who may decide
   * its gate; a signature is over `signingText.evidence`.
   */
  evidence(address: string, credential?: Credential, filter?: EvidenceFilter): Promise<ShownEvidence>;
  /** Memory across runs: list, quarantine, rebuild from the trace. */
  readonly memory: MemoryAdmin;
}

interface RecordDeps {
  readonly journal: Journal;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly memory?: MemoryStore;
  readonly pads: Scratchpads;
  readonly frames: (runId: string) => Promise<readonly Frame[]>;
  readonly look: (runId: string) => Promise<RunState>;
  readonly send: (runId: string, event: EventBody) => Promise<unknown>;
  readonly hash: Hash;
  readonly transcripts: (runId: string, events: readonly RunEvent[]) => readonly Transcript[];
  readonly audit: (frames: readonly Frame[], hash: Hash) => readonly AuditEntry[];
}

export function createRecordQueries(deps: RecordDeps): RecordQueries {
  const { journal, clock, memory, frames } = deps;
  return {
    memory: createMemoryAdmin({ store: memory, journal, clock }),
    readState: async (runId, input, as) => {
      const category = parse(StateCategory, input, 'input_invalid');
      assertMayRead(category, parse(StateReader, as, 'input_invalid'));
      return JSON.parse(JSON.stringify(await contentOf(deps, runId, category))) as Json;
    },
    writeState: async (runId, input, as, value) => {
      const category = parse(StateCategory, input, 'input_invalid');
      const rule = requireWriteRule(category, parse(StateReader, as, 'input_invalid'));
      const state = await deps.look(runId);
      if (rule === 'free')
        return void deps.pads.of(state).note(typeof value === 'string' ? value : JSON.stringify(value));
      if (rule === 'discard') return deps.pads.discard(state);
      if (rule === 'propose') {
        const body = { type: 'proposal_made', kind: 'observation_summary', payload: value } as const;
        return void (await deps.send(runId, body));
      }
      const message = `${category} is written only by the events of the run (${rule}) and does not accept a value`;
      throw new Fault('state_write_refused', message, { path: `/${category}` });
    },
    document: async (runId, asked) => {
      const address = requireId(asked);
      const events = (await frames(runId)).flatMap(frameEvents);
      if (!hasStored(events, address))
        throw new Fault('blob_missing', `the run ${runId} has stored nothing at ${address}`);
      return await journal.blob(address as `sha256:${string}`, runId);
    },
    evidence: async (address, credential, filter = {}) => {
      const shown = credential === undefined ? undefined : readUntrusted(() => copyInput(credential));
      const asked = parse(
        EvidenceFilter,
        readUntrusted(() => copyInput(filter)),
        'input_invalid',
      );
      return await shownEvidence(deps, requireId(address), shown, asked);
    },
    auditRecord: async (runId, credential) => {
      const found = await frames(runId);
      await assertAuditor(deps, runId, credential);
      return deps.audit(found, deps.hash);
    },
  };
}

async function assertAuditor({ approvers, look, clock }: RecordDeps, runId: string, input: Credential): Promise<void> {
  const credential = parse(Credential, input, 'input_invalid');
  const { id, session } = await look(runId);
  const established = await approvers.establish({
    text: (key_id, signed_at) => `read the audit record of ${runId} with ${key_id} at ${signed_at}`,
    credential,
    tenantId: id.tenantId,
    since: Math.min(session.startedAt, clock.nowMs()),
  });
  if (!established.ok) throw new Fault(established.code, established.message);
  if (established.proof.roles.some((role) => AUDITOR_ROLES.includes(role))) return;
  const message = `reading an audit record needs one of the roles ${AUDITOR_ROLES.join(', ')}; ${established.approver} has none of them`;
  throw new Fault('permission_denied', message);
}

/** The content of one state store of a run. */
async function contentOf(deps: RecordDeps, runId: string, category: StateCategory): Promise<unknown> {
  const state = await deps.look(runId);
  switch (category) {
    case 'scratchpad':
      return deps.pads.of(state).notes();
    case 'task_state':
      return taskState(state);
    case 'evidence':
      return { items: await contextItems(deps, state), committed: vecToArray(state.work.evidence) };
    case 'observations':
      return deps.transcripts(runId, (await deps.frames(runId)).flatMap(frameEvents));
    case 'persistent_memory':
      return deps.memory === undefined
        ? []
        : (await deps.memory.recall({ tenant: state.id.tenantId, now: deps.clock.nowMs() })).entries;
    case 'execution_trace':
      return await deps.frames(runId);
    case 'audit_record':
      return deps.audit(await deps.frames(runId), deps.hash);
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

async function contextItems({ journal }: RecordDeps, { intake }: RunState): Promise<Json> {
  if (intake.context === undefined) return [];
  const { items } = JSON.parse(await recordedText(journal, intake.context, 'compiled context')) as { items: Json };
  return items;
}

/** Rejects a reader that the rules of the store exclude. */
function assertMayRead(category: StateCategory, reader: StateReader): void {
  if (STATE_STORES[category].access[reader].read) return;
  throw new Fault('permission_denied', `a ${reader} may not read ${category}`, { path: `/${category}` });
}

/** How a reader may write to a store. Throws if it may not. */
function requireWriteRule(category: StateCategory, reader: StateReader): Exclude<StateWrite, 'none'> {
  const { write } = STATE_STORES[category].access[reader];
  if (write !== 'none') return write;
  const { update_rule } = STATE_STORES[category];
  throw new Fault('state_write_refused', `a ${reader} may not write to ${category}: ${update_rule}`, {
    path: `/${category}`,
  });
}
