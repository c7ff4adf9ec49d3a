import { approversOf } from '../gates/approvers.ts';
import { readInbox } from '../gates/inbox.ts';
import { withCompanions } from '../gateway/bound-tools.ts';
import { auditRecordOf } from '../record/audit-record.ts';
import { handoffOf } from '../record/handoff.ts';
import { auditTrace } from '../record/incidents.ts';
import { modelExchanges } from '../record/model-exchanges.ts';
import { diagnose } from '../record/pathologies/diagnose.ts';
import { phasesOf } from '../record/phases.ts';
import { transcriptsOf } from '../record/transcripts.ts';
import { unapprovedCalls } from '../record/unapproved.ts';
import { shadowRun } from '../replay/shadow.ts';
import { plannersOf } from '../session/assembly/safer-planner.ts';
import { createBell } from '../session/bell.ts';
import { createHost, type Host, type HostOptions } from '../session/host.ts';
import { killSwitchDesk } from '../session/kill-switches.ts';
import type { Family } from '../session/lanes/family.ts';
import { laneDesk } from '../session/lanes/lane-desk.ts';
import { LEASE_MS, type Lease, leaseOf } from '../session/lease.ts';
import { runReader } from '../session/read-run.ts';
import { createRuntime } from '../session/runtime.ts';
import { scratchpads } from '../session/scratchpads.ts';
import { sessionDesk } from '../session/session-desk.ts';
import { recordDoors } from '../session/state/record-doors.ts';
import { vaultDesk } from '../session/vault-desk.ts';
import type { AgentDoor } from './ambit.ts';
import { assemble } from './assemble.ts';
import { describedAgent } from './described-agent.ts';
import { isLaneTool } from './lane.ts';
import type { Machine } from './machine.ts';
import type { AmbitOptions } from './options.ts';
import type { DecidingRoom } from './records/pins.ts';
import { runRecords } from './records/run-records.ts';

/** Who drives is told apart where other processes can share the store. */
function leased({ journal, ports, writer }: HostOptions, { process }: Machine): { readonly lease?: Lease } {
  const { drivers } = journal;
  if (drivers === undefined) return {};
  const { clock, timer } = ports;
  return { lease: leaseOf({ journal, drivers, clock, timer, process, writer, leaseMs: LEASE_MS }) };
}

/** One agent of a runtime: what drives its runs, and what can be asked about them. */
export interface OneAgent {
  readonly host: Host;
  readonly door: AgentDoor;
  readonly parts: HostOptions;
}

/** What the agents of one runtime know of each other. */
export interface Together {
  readonly family: Family;
  /** By name, what each decides again with. */
  readonly deciding: Map<string, DecidingRoom>;
}

export function oneAgent(options: AmbitOptions, machine: Machine, { family, deciding }: Together): OneAgent {
  const { hash, schemas, signatures } = machine;
  const parts = assemble(options, machine);
  const { critic, journal } = parts;
  const detectors = options.world?.policy?.detectors ?? [];
  deciding.set(parts.pins.agent.name, { parts, detectors, schemas });
  const { frames, events: eventsOf } = runReader(journal);
  // Who decides is for keys and for the host's own authenticator to establish; the machine brings neither.
  const { keys = null, authenticator = null, operatorRole } = options.world?.policy?.approvers ?? {};
  const approvers = approversOf({ keys, authenticator, signatures, clock: parts.ports.clock });
  const lanes = laneDesk({
    family,
    timer: parts.ports.timer,
    env: parts.pins.env,
    agent: parts.pins.agent.name,
    tasks: new Map(
      withCompanions(options.tools).flatMap((bound) => (isLaneTool(bound) ? [[bound.spec.name, bound.task]] : [])),
    ),
  });
  const ports = { ...parts.ports, lanes, pads: scratchpads() };
  const bell = createBell();
  const host = createHost({ ...parts, ports, bell, isRevoked: approvers.isRevoked });
  const runtime = createRuntime(host, { ...leased(parts, machine), journal, approvers, clock: ports.clock, family });
  const door: AgentDoor = {
    ...runtime,
    ...sessionDesk({ ...ports, journal, bell }, { rulesOf: host.rulesOf, pins: parts.pins.agent.pins }),
    ...runRecords({
      ...runtime,
      parts,
      host,
      approvers,
      machine,
      keys,
      schemas,
      detectors,
      agents: deciding,
      planners: plannersOf(options.planner),
    }),
    frames,
    diagnose: async (runId, queue = {}) => {
      const events = await eventsOf(runId);
      const waits = (await runtime.outcome(runId)).pending.length > 0;
      return diagnose({
        events,
        unapproved: unapprovedCalls(events, (tool) => parts.pins.env.tools.get(tool)),
        saturated: waits && (await door.pending(queue)).saturated,
      });
    },
    phases: async (runId) => phasesOf(await eventsOf(runId)),
    transcripts: async (runId) => transcriptsOf(runId, await eventsOf(runId)),
    exchanges: async (runId) => await modelExchanges(journal, await eventsOf(runId)),
    handoff: async (runId) => handoffOf(runId, await eventsOf(runId), (await runtime.outcome(runId)).verdict),
    pending: (filter) => readInbox(journal, ports.clock.nowMs(), filter),
    agents: () => [describedAgent(parts)],
    breakers: () => ports.gateway.breakers(),
    ...recordDoors({
      ...ports,
      ...runtime,
      journal,
      approvers,
      frames,
      look: host.look,
      transcripts: transcriptsOf,
      audit: auditRecordOf,
      hash,
    }),
    vault: vaultDesk({ vault: ports.vault, journal, approvers, clock: ports.clock, operatorRole }),
    killSwitches: killSwitchDesk({ journal, approvers, clock: ports.clock, ids: ports.ids, operatorRole }),
    audit: async (runId) => await auditTrace(parts, runId, await eventsOf(runId)),
    shadow: async (runId, candidate) => {
      const all = await frames(runId);
      return shadowRun({ env: await host.rulesOf(all), critic }, all, candidate);
    },
  };
  return { host, door, parts };
}
