import { assemble } from '../agent/assemble.ts';
import { isLaneTool } from '../agent/lane.ts';
import type { Machine } from '../agent/machine.ts';
import type { AmbitOptions } from '../agent/options.ts';
import { plannersOf } from '../agent/planning-mode.ts';
import { withCompanions } from '../gateway/tool/bound-tools.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import type { FactsStore } from '../ports/store/facts-store.ts';
import { auditRecordOf } from '../record/audit-record.ts';
import { auditTrace, unapprovedCalls } from '../record/incidents.ts';
import { modelExchanges } from '../record/model-exchanges.ts';
import { diagnose } from '../record/pathologies/diagnose.ts';
import { phasesOf } from '../record/phases.ts';
import { handoffOf } from '../record/response.ts';
import { transcriptsOf } from '../record/transcripts.ts';
import type { ReplayEnv } from '../replay/replay.ts';
import { shadowRun } from '../replay/shadow.ts';
import { createWriteSignal } from '../session/follow.ts';
import { createHost, type Host, type HostOptions } from '../session/host.ts';
import { importNote } from '../session/import-note.ts';
import type { Family } from '../session/lanes/family.ts';
import type { LanePort } from '../session/lanes/lane-port.ts';
import { createLanePort } from '../session/lanes/lane-tasks.ts';
import { createLease, LEASE_MS, type Lease } from '../session/lease.ts';
import { runReader } from '../session/load.ts';
import { type Scratchpads, scratchpads } from '../session/perform/scratchpads.ts';
import { requireId } from '../session/read-input.ts';
import { readThread } from '../session/threads/thread-history.ts';
import { createKillSwitches } from './admin/kill-switches.ts';
import { createVaultAdmin } from './admin/vault.ts';
import type { AgentRuntime, DescribedAgent, Gates, Records, Sessions } from './ambit.ts';
import { explainAgent } from './explain/explain-agent.ts';
import { deciderParts } from './gates/deciders.ts';
import { readInbox } from './gates/inbox.ts';
import { createMetrics, type RunMetrics } from './metrics/create-metrics.ts';
import { alterationFinder, type ReplayDeps } from './records/pins.ts';
import { provenEvents } from './records/proof-report.ts';
import { type RunRecords, replayRules, runRecords } from './records/run-records.ts';
import { createRuntime } from './runtime.ts';
import { createRecordQueries, type RecordQueries } from './sessions/record-queries.ts';
import { createSessionQueries } from './sessions/session-queries.ts';
import { createThreads, type Threads, type ThreadsDeps } from './threads.ts';

/** Creates a lease if other processes can share the store. */
function openLease({ journal, ports, writer }: HostOptions, { process }: Machine): { readonly lease?: Lease } {
  const { drivers } = journal;
  if (drivers === undefined) return {};
  const { clock, timer } = ports;
  return { lease: createLease({ journal, drivers, clock, timer, process, writer, leaseMs: LEASE_MS }) };
}

/** One agent of a runtime: its host, which drives its runs, and its public methods. */
export interface OneAgent {
  readonly host: Host;
  readonly runtime: AgentRuntime;
  readonly parts: HostOptions;
  /** The name of the agent whose lane this agent works in; null for a declared agent. */
  readonly parent: string | null;
}

/** The objects that the agents of one runtime share. */
export interface SharedDeps {
  readonly family: Family;
  /** By agent name, the dependencies for replaying its decisions. */
  readonly deciding: Map<string, ReplayDeps>;
}

/** The options of one agent, and its place. */
type Placed = Pick<OneAgent, 'parent'> & { readonly options: AmbitOptions };

export function oneAgent({ options, parent }: Placed, machine: Machine, { family, deciding }: SharedDeps): OneAgent {
  const { schemas } = machine;
  const parts = assemble(options, machine);
  const { journal } = parts;
  const { detectors = [], evaluators = {} } = options.world?.policy ?? {};
  const replaying = { parts, detectors, evaluators, schemas, agents: deciding };
  deciding.set(parts.pins.agent.name, replaying);
  const { keys, operatorRole, approvers, switches, ...proven } = deciderParts(
    options.world?.policy?.approvers ?? {},
    parts,
    { ...machine, firstAltered: alterationFinder(replaying, deciding, journal) },
  );
  const ports = { ...parts.ports, switches, lanes: lanesOf(options, parts, family), pads: scratchpads() };
  const derivingRules = async (frames: readonly Frame[]): Promise<ReplayEnv> => await replayRules(replaying, frames);
  const writeSignal = createWriteSignal();
  const worksInLanes = parent !== null;
  const host = createHost({ ...parts, ...proven, ports, writeSignal, isRevoked: approvers.isRevoked, worksInLanes });
  const followed = createSessionQueries(
    { ...ports, journal, writeSignal },
    { rulesOf: host.rulesOf, pins: parts.pins.agent.pins },
  );
  const { clock } = ports;
  const shared = { ...openLease(parts, machine), ...proven, journal, approvers, clock, family };
  const runtime = createRuntime(host, { ...shared, watch: followed.watch });
  const queries = recordQueries({ ...parts, ports }, host, machine, { approvers, send: runtime.sessions.send });
  const { get, ...records } = runRecords({
    outcome: runtime.sessions.get,
    host,
    approvers,
    ...proven,
    operatorRole,
    machine,
    keys,
    ...replaying,
    planners: plannersOf(options.planner),
  });
  const { readState, writeState, evidence, auditRecord, document, memory } = queries;
  const list: Gates['list'] = (filter) => readInbox(journal, clock.nowMs(), filter);
  return {
    host,
    parts,
    parent,
    runtime: {
      ...runtime,
      agents: {
        ...runtime.agents,
        list: () => [describeAgent(parts)],
        explain: () => explainAgent(options, parts),
        breakers: () => ports.gateway.breakers(),
      },
      gates: { ...runtime.gates, list, evidence },
      sessions: { ...runtime.sessions, ...followed, get, readState, writeState },
      records: {
        ...records,
        ...createMetrics({ ...shared, ids: ports.ids, factsStore: factsOf(options, machine), rulesOf: derivingRules }),
        ...journalRecords({ ...parts, ...proven }, host, { outcome: runtime.sessions.get, list }),
        auditRecord,
        document,
      },
      threads: threadsOf(parts, host, records.export),
      killSwitches: createKillSwitches({ journal, approvers, clock, ids: ports.ids, operatorRole }),
      vault: createVaultAdmin({ vault: ports.vault, journal, approvers, clock, operatorRole }),
      memory,
    },
  };
}

function recordQueries(
  { journal, ports }: HostOptions & { readonly ports: { readonly pads: Scratchpads } },
  host: Host,
  { hash }: Machine,
  deciding: Pick<Parameters<typeof createRecordQueries>[0], 'approvers' | 'send'>,
): RecordQueries {
  return createRecordQueries({
    ...ports,
    ...deciding,
    journal,
    frames: runReader(journal).frames,
    look: host.loadState,
    transcripts: transcriptsOf,
    audit: auditRecordOf,
    hash,
  });
}

function threadsOf({ journal }: HostOptions, { rulesOf }: Host, exportRun: RunRecords['export']): Threads {
  const history: ThreadsDeps['history'] = async (tenant, thread) =>
    await readThread({ journal, rulesOf }, { tenant, thread });
  return createThreads({ journal, history, exportRun });
}

/** Facts are kept beside a store file. A journal of the host has no file, so they are kept in the process. */
const factsOf = ({ store = 'memory', world }: AmbitOptions, machine: Machine): (() => FactsStore) =>
  machine.factsOf(world?.journal === undefined ? store : 'memory');

/** The lanes that this agent may open, with the task of each lane tool. */
function lanesOf({ tools }: AmbitOptions, { journal, ports, pins }: HostOptions, family: Family): LanePort {
  const bound = withCompanions(tools).filter(isLaneTool);
  return createLanePort({
    family,
    journal,
    timer: ports.timer,
    env: pins.env,
    agent: pins.agent.name,
    tasks: new Map(bound.map(({ spec, task }) => [spec.name, task])),
  });
}

type JournalRecords = Omit<Records, keyof RunRecords | keyof RunMetrics | keyof RecordQueries>;

/** The records that are read from the events of a run. */
function journalRecords(
  parts: HostOptions,
  host: Host,
  { outcome, list }: { readonly outcome: Sessions['get']; readonly list: Gates['list'] },
): JournalRecords {
  const { critic, journal, pins, proofs } = parts;
  const { frames, events: eventsOf } = runReader(journal);
  /** The events of a run for an audit: those of an imported run were decided with keys of another store. */
  const auditedEvents = async (runId: string): Promise<readonly RunEvent[]> => {
    const imported = (await importNote(journal, requireId(runId))) !== null;
    return await provenEvents(imported ? undefined : proofs, await frames(runId));
  };
  return {
    frames,
    diagnose: async (runId, queue = {}) => {
      const events = await eventsOf(runId);
      const waits = (await outcome(runId)).pending.length > 0;
      return diagnose({
        events,
        unapproved: unapprovedCalls(await auditedEvents(runId), (tool) => pins.env.tools.get(tool)),
        saturated: waits && (await list(queue)).saturated,
      });
    },
    phases: async (runId) => phasesOf(await eventsOf(runId)),
    transcripts: async (runId) => transcriptsOf(runId, await eventsOf(runId)),
    exchanges: async (runId) => await modelExchanges(journal, await eventsOf(runId)),
    handoff: async (runId) => handoffOf(runId, await eventsOf(runId), (await outcome(runId)).verdict),
    audit: async (runId) => await auditTrace(parts, runId, await auditedEvents(runId)),
    shadow: async (runId, candidate) => {
      const all = await frames(runId);
      return shadowRun({ env: await host.rulesOf(all), critic }, all, candidate);
    },
  };
}

const describeAgent = ({ pins: { agent, env, registry } }: HostOptions): DescribedAgent => ({
  spec: agent,
  tools: registry.tools,
  decisions: [...env.catalog.values()],
  graph: env.graph.spec,
});
